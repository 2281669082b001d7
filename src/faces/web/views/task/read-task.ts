// A task as it was read, with the mark of the text that a change is made on.
import type { Address } from '../../api/calls.ts';
import { askFor } from '../../api/request.ts';
import type { TaskDetail } from '../../api/shapes.ts';

export interface ReadTask {
  task: TaskDetail;
  etag: string;
}

export async function readTask(path: Address<TaskDetail>): Promise<ReadTask> {
  const { body, etag } = await askFor(path);
  return { task: body, etag: etag ?? '*' };
}
