// A task as it was read, with the mark of the text that a change is made on.
import { askFor } from '../../api/request.ts';
import type { TaskDetail } from '../../api/shapes.ts';

export interface ReadTask {
  task: TaskDetail;
  etag: string;
}

export async function readTask(path: string): Promise<ReadTask> {
  const { body, etag } = await askFor<TaskDetail>(path);
  return { task: body, etag: etag ?? '*' };
}
