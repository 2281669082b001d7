// Looking: nothing here changes a file.
import type { ListFilter, ListText, Overview, TaskList } from './list-shapes.ts';

export interface ReadingOperations {
  list(filter?: ListFilter): Promise<TaskList>;
  /**
   * The whole list as JSON text, in half the time; null where only `list` can tell.
   * @param ids only these tasks, in no order, without the files that can't be read; not over HTTP
   */
  listAsJson(ids?: ReadonlySet<string>): Promise<ListText | null>;
  /** How many tasks of each status there are, and those that wait for their turn. */
  overview(): Promise<Overview>;
}
