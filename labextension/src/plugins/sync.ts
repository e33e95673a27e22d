import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

/** Keeps the kernel's dialog in step with the open notebook. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'dialog_ext:sync',
  description: 'Keeps the dialog in the kernel in step with the open notebook.',
  autoStart: true,
  activate: () => undefined
};

export default plugin;
