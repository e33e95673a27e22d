import promptCells from './plugins/promptCells';
import sync from './plugins/sync';

export default [promptCells, sync];
