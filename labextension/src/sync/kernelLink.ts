import { KernelMessage, type Kernel } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type { DocumentLink } from './documentLink';
import { BEACON, MESSAGE, readKernel, type ToKernel } from './protocol';

type Execute = Kernel.IKernelConnection['requestExecute'];

/**
 * Ties a document's link to the kernel of its notebook, through what may befall a kernel: it
 * loads the extension late or never, restarts, is out of reach for a while.
 */
export class KernelLink implements IDisposable {
  /**
   * @param kernel - The notebook's connection to its kernel.
   * @param link - The document's link.
   */
  constructor(kernel: Kernel.IKernelConnection, link: DocumentLink) {
    this._kernel = kernel;
    this._link = link;
    kernel.iopubMessage.connect(this._onMessage, this);
    kernel.statusChanged.connect(this._onStatus, this);
    kernel.connectionStatusChanged.connect(this._onConnection, this);
    // Without a target, the page would close the beacon's comm, and complain.
    kernel.registerCommTarget(BEACON, ignoreComm);
    this._restoreExecute = this._wrapExecute();
    this._look();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    Signal.clearData(this);
    this._restoreExecute();
    this._comm?.dispose();
    if (!this._kernel.isDisposed) {
      this._kernel.removeCommTarget(BEACON, ignoreComm);
    }
    this._link.part();
  }

  /**
   * Send a message to a kernel, on the channel that it reads also while a cell runs.
   *
   * @param kernel - The kernel.
   * @param content - What it says.
   * @param buffers - The bytes that come along.
   */
  static send(
    kernel: Kernel.IKernelConnection,
    content: ToKernel,
    buffers: readonly Uint8Array[]
  ): void {
    if (kernel.isDisposed || kernel.status === 'dead') {
      return;
    }
    const message = KernelMessage.createMessage({
      // The type is our own, which the types of Jupyter's messages do not know.
      msgType: MESSAGE as 'debug_request',
      channel: 'control',
      session: kernel.clientId,
      username: kernel.username,
      content: content as unknown as KernelMessage.IDebugRequestMsg['content'],
      buffers: [...buffers]
    });
    kernel.sendControlMessage(message);
  }

  /** Find out whether the kernel has loaded the extension already. */
  private _look(): void {
    this._hasLooked = true;
    this._kernel.requestCommInfo({ target_name: BEACON }).then(
      ({ content }) => {
        if (content.status === 'ok') {
          const [beacon] = Object.keys(content.comms);
          if (beacon !== undefined && !this._isDisposed) {
            this._know(beacon);
            this._onBeacon(beacon);
          }
        }
      },
      () => {
        // The kernel restarted or went away meanwhile; its successor is asked again.
      }
    );
  }

  /** Jupyter complains of a comm that closes and that it has not seen open. */
  private _know(beacon: string): void {
    const kernel = this._kernel;
    if (kernel.handleComms && !kernel.hasComm(beacon)) {
      this._comm = kernel.createComm(BEACON, beacon);
    }
  }

  private _onBeacon(beacon: string): void {
    this._beacon = beacon;
    if (!this._link.isLinked) {
      this._link.meet();
    }
  }

  private _onMessage(
    _: Kernel.IKernelConnection,
    message: KernelMessage.IIOPubMessage
  ): void {
    const type: string = message.header.msg_type;
    if (type === MESSAGE) {
      const said = readKernel(message.content);
      if (said) {
        this._link.receive(said, (message.buffers ?? []).map(bytesOf));
      }
    } else if (KernelMessage.isStatusMsg(message)) {
      this._onIdle(message);
    } else if (KernelMessage.isCommOpenMsg(message)) {
      if (message.content.target_name === BEACON) {
        this._link.part();
        this._onBeacon(message.content.comm_id);
      }
    } else if (KernelMessage.isCommCloseMsg(message)) {
      if (message.content.comm_id === this._beacon) {
        this._link.part();
      }
    }
  }

  /** Jupyter's own slots have put all outputs of the cell into the document by now. */
  private _onIdle(message: KernelMessage.IStatusMsg): void {
    if (message.content.execution_state === 'idle') {
      const parent = message.parent_header;
      if ('msg_id' in parent && this._requests.delete(parent.msg_id)) {
        this._link.ran(parent.msg_id);
      }
    }
  }

  private _onStatus(
    _: Kernel.IKernelConnection,
    status: KernelMessage.Status
  ): void {
    switch (status) {
      case 'restarting':
      case 'autorestarting':
      case 'dead':
        this._link.part();
        this._requests.clear();
        this._hasLooked = false;
        break;
      case 'idle':
      case 'busy':
        if (!this._hasLooked) {
          this._look();
        }
        break;
      default:
    }
  }

  /** Messages of either side may have been lost with the connection. */
  private _onConnection(
    _: Kernel.IKernelConnection,
    status: Kernel.ConnectionStatus
  ): void {
    if (status === 'connected' && this._link.isLinked) {
      this._link.meet();
    }
  }

  /**
   * Let every request tell which document it came from, and which of its updates was the
   * last; the kernel waits for that one.
   */
  private _wrapExecute(): () => void {
    const kernel = this._kernel;
    const original: Execute = kernel.requestExecute.bind(kernel);
    const wrapped: Execute = (content, disposeOnDone, metadata) => {
      if (this._isDisposed || this._isOther) {
        return original(content, disposeOnDone, metadata);
      }
      const told: JSONObject = { nb: this._link.nb, seq: this._link.flush() };
      const future = original(content, disposeOnDone, {
        ...metadata,
        dialog_ext: told
      });
      this._requests.add(future.msg.header.msg_id);
      return future;
    };
    kernel.requestExecute = wrapped;
    kernel.info.then(
      info => {
        this._isOther = info.language_info.name !== 'python';
      },
      () => {
        // A kernel that went away before it told anything is asked nothing.
      }
    );
    return () => {
      if (kernel.requestExecute === wrapped) {
        kernel.requestExecute = original;
      }
    };
  }

  private readonly _kernel: Kernel.IKernelConnection;
  private readonly _link: DocumentLink;
  private readonly _restoreExecute: () => void;
  private readonly _requests = new Set<string>();
  private _beacon: string | undefined;
  private _comm: Kernel.IComm | null = null;
  private _hasLooked = false;
  private _isOther = false;
  private _isDisposed = false;
}

function ignoreComm(): void {
  // The beacon has nothing to say but that it is there.
}

function bytesOf(buffer: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(buffer);
}
