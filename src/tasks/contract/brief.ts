// A task as agents are shown it: for tools, whose answers go into a model's context.
import type { TaskId } from '../../core/ids.ts';

export interface Brief {
  id: TaskId;
  name: string;
  /** Facts, then texts of others between markers with author and trust. */
  text: string;
  /** Where the next page begins; null for the last. */
  next: number | null;
}

export interface BriefOperations {
  /**
   * One page of a task.
   * @param page.offset as the page before said
   * @param page.limit characters of texts, about; 14,000 when absent
   */
  brief(ref: string, page?: { offset?: number; limit?: number }): Promise<Brief>;
}
