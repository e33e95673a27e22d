"""The reference, name by name and example by example.

The examples are the reference's, word for word. Where its conversion from HTML ran several
spaces together (the indented headings), they are restored; typographic quotes stand only in
the displays, which are tested apart.
"""

# ruff: noqa: E501 - examples stand as the reference has them

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import dialog_ext.dialog as part
from dialog_ext.dialog import Attachment, Dialog, Message, Msgs

SIGNATURES: list[tuple[str, str]] = [
    ("add_id_hash", "(cls, attr)"),
    ("Msgs", "(items=None, *rest, use_list=False, match=None)"),
    ("Dialog", "(name, messages=None, meta=None)"),
    ("prompt_output", "(txt='')"),
    ("code_output", "(result='', subtype='plain', mimetype='text')"),
    ("mk_code_output", "(d)"),
    ("displayobj", "(data='', subtype='plain', mimetype='text', meta=None)"),
    ("mk_displayobj", "(d, meta=None)"),
    ("mk_output", "(typ, d, meta=None, **kw)"),
    (
        "Message",
        "(content='', dlg=None, output='', id=None, msg_type='code', attachments=None, "
        "meta=None, **xtras)",
    ),
    ("Message.preview", "(self, maxlen=120)"),
    ("Message.update", "(self, **kwargs)"),
    (
        "Dialog.mk_message",
        "(self, content, idx=-1, after=None, before=None, msg_type='code', output='', **kwargs)",
    ),
    ("Dialog.mk_messages", "(self, msgs, after=None, before=None)"),
    ("Message.insert_after", "(self, msgs)"),
    ("Message.rel_msg", "(self, is_up)"),
    ("Message.previous", "(self)"),
    ("Message.next", "(self)"),
    ("get_msg", "(id_, dlg)"),
    ("Dialog.find_msg", "(self, content)"),
    ("Message.remove_from_dlg", "(self)"),
    ("Dialog.remove_msgs", "(self, msgs)"),
    ("section_msgs", "(ms, head)"),
    ("Message.header_level", "(self)"),
    ("header_info", "(content)"),
    ("get_output_mds", "(output)"),
    ("output_from_msg", "(jmsg)"),
    ("mk_execresult", "(data, metadata=None, execution_count=1)"),
    ("mk_dispdata", "(data, metadata=None, display_id=None)"),
    ("mk_error", "(ename='Exception', evalue='', traceback=None)"),
    ("mk_stream", "(text, name='stdout')"),
    ("mk_jmsg", "(typ, metadata=None, **kwargs)"),
    ("Message.add_output", "(self, jmsg, trunc=None, on_input=None)"),
    ("Message.clear_output", "(self, wait=False)"),
    ("dlg2py", "(dlg)"),
    ("strip_export", "(s)"),
    ("Message.merge_content", "(self, mtype)"),
    ("Message.validate", "(self)"),
    ("Dialog.validate", "(self)"),
    ("Message.mk_attachment", "(self, data, content_type, id='')"),
    ("Attachment", "(data, content_type, id='')"),
    ("ruuid4", "()"),
    ("Dialog.todict", "(self)"),
    ("Message.clear_inp_cache", "(self)"),
    ("Message.clear_out_cache", "(self)"),
]
PROPERTIES = ["Message.has_error", "Message.ai_res", "Message.exported", "Message.summ"]


def named(name: str) -> Any:
    thing: Any = part
    for step in name.split("."):
        thing = getattr(thing, step)
    return thing


@pytest.mark.parametrize(("name", "expected"), SIGNATURES)
def test_signature_and_docstring(name: str, expected: str) -> None:
    signature = inspect.signature(named(name))
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    empty = inspect.Signature.empty
    assert str(signature.replace(parameters=bare, return_annotation=empty)) == expected
    assert (named(name).__doc__ or "").strip()


@pytest.mark.parametrize("name", PROPERTIES)
def test_property(name: str) -> None:
    assert isinstance(named(name), property)
    assert (named(name).__doc__ or "").strip()


def test_everything_that_is_exported_is_there_and_says_what_it_is() -> None:
    tops = {name.partition(".")[0] for name, _ in SIGNATURES}
    constants = {"scode", "snote", "sprompt", "sraw", "smsg_types", "tiny_png", "UNSET"}
    assert tops | constants | {"DepProp", "rtoken_hex"} == set(part.__all__)
    for name in part.__all__:
        assert getattr(part, name) is not None
    for cls in (Message, Dialog, Attachment, Msgs):
        for attribute in vars(cls):
            if not attribute.startswith("_") and callable(getattr(cls, attribute)):
                assert getattr(cls, attribute).__doc__, attribute


PREAMBLE = """
import copy
from fastcore.test import *
from fastcore.basics import store_attr
from fastcore.foundation import L
from dialog_ext.dialog import *
"""

EXAMPLES: dict[str, str] = {
    "add_id_hash": r"""
class Type:
    def __init__(self, id): store_attr()

atts = [Type(str(i)) for i in range(5)]
test_eq(Type('0') in atts, False)
test_eq(Type('3') == atts[3], False)

add_id_hash(Type, 'id')
test_eq(Type('0') in atts, True)
test_eq(Type(10) in atts, False)
test_eq(Type('3') == atts[3], True)
test_eq('1' in atts, True)
test_eq(Type('4') == '4', True)

atts.remove('0')
test_eq(len(atts), 4)
atts.remove(Type('3'))
test_eq(len(atts), 3)
test_eq([o.id for o in atts], ['1','2','4'])
test_eq(len({Type(1), Type(2), Type(1)}), 2)
test_eq({Type(1):"data"}[Type(1)], "data")
""",
    "messages, outputs of prompts, previews": r"""
dlg = Dialog('test')
dlg

m = Message('in', output='out', dlg=dlg, msg_type=snote)
m

pm = Message('q', msg_type=sprompt, output='A reply')
test_eq(pm.ai_res, 'A reply')
pm.output = 'Edited reply'
test_eq(pm.output, prompt_output('Edited reply'))
test_eq(pm.ai_res, 'Edited reply')

pv = pm.preview()
assert pv.startswith(f'{pm.id}:prompt: q') and 'reply(12)' in pv
big = Message('x=1', msg_type=scode, output=code_output('y'*500))
assert 'out(' in big.preview() and len(big.summ) < 200
test_eq(len(Message('z'*300, msg_type=snote).preview(80)), 80)
dd = Dialog('t', [pm, big])
assert isinstance(dd.messages, Msgs)
test_eq(str(dd.messages.show(rows=1)).count('\n'), 1) # one row plus the "more" marker
""",
    "mk_message": r"""
dlg = Dialog('test')
msg = dlg.mk_message(content='1')
dlg.mk_message(content='0', before=msg) # 0 before 1
dlg.mk_message(content='2', after=msg) # 2 after 1
assert L(dlg.messages).attrgot('content') == ['0','1','2']

out = code_output('64')
test_msg = dlg.mk_message('8*8', output=out)
test_eq(test_msg.output, out)
test_msg
""",
    "mk_messages": r"""
dlg = Dialog('copy_paste')
for i in '123': dlg.mk_message(i, msg_type=snote)
def _contents(dlg): return [m.content for m in dlg.messages]

clipboard = copy.copy(dlg.messages[:2])
dlg.mk_messages(clipboard, after=dlg.messages[1])
test_eq(_contents(dlg), ['1', '2', '1', '2', '3'])
""",
    "insert_after, navigation, finding": r"""
dlg = Dialog('test')
msg1,msg2,msg3 = [dlg.mk_message(o) for o in ('first','second','third')]
msg1.insert_after([Message('inserted1'), Message('inserted2')])
test_eq([m.content for m in dlg.messages], ['first', 'inserted1', 'inserted2', 'second', 'third'])

test_eq(msg1.next().content, 'inserted1')
test_eq(msg2.previous().content, 'inserted2')
test_eq(msg3.next(), None)
test_eq(msg1.previous(), None)

test_eq(dlg.find_msg('second'), msg2)
test_eq(get_msg(msg2.id, dlg), msg2)
test_eq(get_msg('nope', dlg), None)
""",
    "remove_msgs": r"""
dlg = Dialog('test_remove')
m1, m2, m3 = [dlg.mk_message(f'msg{i}') for i in range(3)]
removed = dlg.remove_msgs([m1, m3])
test_eq(dlg.messages, [m2])
test_eq(removed, [m1, m3])
m2.remove_from_dlg()
test_eq(dlg.messages, [])
""",
    "sections": r"""
sd = Dialog('sect')
h1,a,h2,b,h3 = [sd.mk_message(c, msg_type=t) for c,t in
    [('# Top',snote),('body',snote),('## Sub\ndetail below',snote),('x=1',scode),('# Next',snote)]]
test_eq([m.header_level() for m in sd.messages], [1,0,2,0,1])
test_eq(sd.mk_message('#not a heading', msg_type=snote).header_level(), 0) # markdown needs the space
test_eq(header_info('## Sub \nmore'), (2, 'Sub ')) # (level, text) of the first line
test_eq(header_info('   ## Indented'), (2, 'Indented')) # CommonMark allows up to 3 leading spaces
test_eq(header_info('    ## Code'), (0, None)) # 4+ spaces is an indented code block, not a heading
test_eq(sd.mk_message('   # Deep', msg_type=snote).header_level(), 1)
test_eq(section_msgs(sd.messages, h1), [h1,a,h2,b]) # stops before the next same-or-higher heading
test_eq(section_msgs(sd.messages, h2), [h2,b]) # body text under the heading doesn't change its level
test_eq(section_msgs(sd.messages, a), [a]) # a non-heading has no span
""",
    "inspecting outputs": r"""
err_out = [dict(output_type='error', ename='ZeroDivisionError', evalue='division by zero', traceback=[])]
test_eq(Message('1/0', msg_type=scode, output=err_out).has_error, True)
test_eq(Message('1+1', msg_type=scode, output=code_output('2')).has_error, False)
test_eq(Message('note', msg_type=snote).has_error, False)

out_stream = [dict(output_type='stream', name='stdout', text='plain\n')]
out_display = [dict(output_type='display_data', metadata={}, data={'text/markdown': '*hi*'})]
out_exec = [dict(output_type='execute_result', metadata={}, data={'text/markdown': '**lo**'}, execution_count=1)]
test_eq(get_output_mds(out_stream), [])
test_eq(get_output_mds(out_display + out_exec), ['*hi*', '**lo**'])
test_eq(get_output_mds(None), [])
""",
    "output_from_msg": r"""
test_eq(output_from_msg(mk_stream('hi\n')), dict(output_type='stream', name='stdout', text='hi\n'))
test_eq(output_from_msg(mk_execresult({'text/plain':'2'}))['execution_count'], 1)
test_eq(output_from_msg(mk_error('E', 'boom', ['tb']))['ename'], 'E')
with expect_fail(ValueError, 'Unrecognized'): output_from_msg(mk_jmsg('status'))
""",
    "add_output": r"""
km = Message('1+1', msg_type=scode, output=[])
km.add_output(mk_stream('hi\n'))
km.add_output(mk_execresult({'text/plain':'2'}))
test_eq([o['output_type'] for o in km.output], ['stream','execute_result'])
km.clear_output(wait=True)
test_eq(len(km.output), 2) # nothing cleared yet
km.add_output(mk_stream('fresh\n'))
test_eq([o['text'] for o in km.output], ['fresh\n']) # the pending clear ran first
test_eq(Message('2+2;', msg_type=scode, output=[]).add_output(mk_execresult({'text/plain':'4'})), None) # semicolon suppresses

dm = Message('show', msg_type=scode, output=[])
dm.add_output(mk_dispdata({'text/plain':'v1'}, display_id='d1'))
dm.add_output(mk_jmsg('update_display_data', data={'text/plain':'v2'}, transient={'display_id':'d1'}))
test_eq([o['data']['text/plain'] for o in dm.output], ['v2']) # updated in place
seen = []
dm.add_output(mk_stream('x'*10), trunc=lambda o: o | dict(text=o['text'][:4]))
test_eq(dm.output[-1]['text'], 'xxxx')
dm.add_output(mk_jmsg('input_request', prompt='Name?', password=False), on_input=seen.append)
test_eq(seen[0]['content']['prompt'], 'Name?')
""",
    "exported code": r"""
xd = Dialog('exp')
e1 = xd.mk_message('#| export\ndef f(): pass', msg_type=scode)
e2 = xd.mk_message('def g(): pass', msg_type=scode)
xd.mk_message('def h(): pass', msg_type=scode)
xd.mk_message('#| export\nexported note', msg_type=snote)
assert e1.exported and not e2.exported
e2.exported = True
test_eq(e2.content, '#| export\ndef g(): pass')
e2.exported = True # idempotent
test_eq(e2.content, '#| export\ndef g(): pass')
test_eq(dlg2py(xd), '#| export\ndef f(): pass\n\n#| export\ndef g(): pass') # code only
e2.exported = not e2.exported # toggling is just assignment
test_eq((e2.exported, e2.content), (False, 'def g(): pass'))
e1.exported = False
test_eq(e1.content, 'def f(): pass') # any directive spelling removed
""",
    "merge_content": r"""
pm2 = Message('Sum?', msg_type=sprompt, output='It is 3.')
test_eq(pm2.merge_content(snote), '## AI Prompt\nSum?\n## AI Response\nIt is 3.')
test_eq(pm2.merge_content(scode), 'Sum?')
test_eq(Message('x=1', msg_type=scode).merge_content(snote), '```python\nx=1\n```')
""",
    "validate": r"""
test_eq(Message('1+1', id=1, msg_type=scode, output=[]).validate().id, '1') # ids coerce to str at construction
m = Message('1+1', msg_type=scode, output=code_output('2'))
test_eq(m.validate(), m)
m.output = [dict(no_type=1)]
with expect_fail(ValueError, 'bad output entry'): m.validate()
with expect_fail(ValueError, 'must not carry output'): Message('n', msg_type=snote, output='x').validate()
with expect_fail(ValueError, 'not JSON-serializable'): Message('m', msg_type=snote, meta=dict(x={1,2})).validate()

vd = Dialog('v', [Message('a', msg_type=snote), Message('b', msg_type=snote)])
test_eq(vd.validate(), vd)
vd.messages.append(Message('c', msg_type=snote, id=vd.messages[0].id))
with expect_fail(ValueError, 'duplicate message id'): vd.validate()
""",
    "attachments": r"""
test_eq(Attachment(b'x', 'text/plain', id=42).id, '42') # ids coerce to str at construction
dlg_attach = Dialog('attach_test')
att1 = Attachment(data=b'screenshot1', content_type='image/png', id='img1.png')
m1 = dlg_attach.mk_message('1. Message with screenshot', msg_type=snote, attachments=[att1])
m2 = dlg_attach.mk_message('2. No attachment', msg_type=snote)
pasted = dlg_attach.mk_messages(copy.copy(dlg_attach.messages[:1]), after=m2)
test_eq(len(dlg_attach.messages), 3)
test_eq(pasted[0].attachments[0].id, 'img1.png')
test_eq(pasted[0].attachments[0].data, b'screenshot1')
""",
}


@pytest.mark.parametrize("code", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_example(code: str) -> None:
    names: dict[str, Any] = {}
    exec(PREAMBLE, names)
    exec(code, names)


def test_displays_of_the_reference() -> None:
    dlg = Dialog("test")
    assert dlg._repr_markdown_() == "**test**"
    m = Message("in", output="out", dlg=dlg, msg_type=part.snote)
    lines = m._repr_markdown_().splitlines()
    assert lines[0] == "in ⇒ out"
    assert lines[2:] == [f"- id: {m.id}", "- meta: {}", "- msg_type: note"]
    summ = Message("8*8", output=part.code_output("64")).summ
    assert summ.startswith("8*8 ⇒ [{'output_type': 'execute_result', 'metadata': {}, 'data': ")
    assert re.fullmatch(r"[0-9a-f]{8}", m.id)


def test_msg_cls_is_the_message_of_all_inherited_code() -> None:
    class Own(Message):
        pass

    class OwnDialog(Dialog):
        msg_cls = Own

    dlg = OwnDialog("d")
    assert Dialog.msg_cls is Message
    assert type(dlg.mk_message("x")) is Own
    assert type(dlg.mk_messages([Message("y")])[0]) is Own


def test_caches_are_dropped_by_assignment_through_the_hooks() -> None:
    calls: list[str] = []

    class Memo(Message):
        def clear_inp_cache(self) -> None:
            super().clear_inp_cache()
            calls.append("inp")

        def clear_out_cache(self) -> None:
            super().clear_out_cache()
            calls.append("out")

    m = Memo("x")
    for name, value, expected in [
        ("content", "y", ["inp"]),
        ("output", [], ["out"]),
        ("msg_type", "prompt", ["inp", "out"]),
    ]:
        calls.clear()
        m._ai_rend = "rendered"
        setattr(m, name, value)
        assert calls == expected
        assert m._ai_rend is None
    calls.clear()
    m.add_output(part.mk_stream("x"))
    assert calls == ["out"]
    assert isinstance(vars(Message)["content"], part.DepProp)
    assert isinstance(vars(Message)["msg_type"], part.DepProp)
    assert isinstance(Message.output, part.DepProp)


def test_meta_attrs_promote_metadata_to_attributes() -> None:
    class Host(Message):
        meta_attrs = {"collapsed": "host_collapsed"}

    m = Host("x", meta={"host_collapsed": 3, "other": [1]}, skipped=True, own=7)
    assert (m.collapsed, m.skipped, m.pinned, m.own) == (3, True, False, 7)
    assert m.meta == {"host_collapsed": 3, "other": [1], "skipped": True}
    m.pinned, m.collapsed = True, None
    assert m.meta["pinned"] is True
    assert m.meta["host_collapsed"] is None
    del m.collapsed, m.skipped
    del m.skipped
    assert m.meta == {"other": [1], "pinned": True}
    assert m.collapsed is None
    names = {"skipped": "skipped", "pinned": "pinned"}
    assert Message.meta_attrs == names
    assert Host.meta_attrs == {**names, "collapsed": "host_collapsed"}
    assert not hasattr(Message("x"), "collapsed")
