// Asked before a task is canceled while its turn runs: the turn is stopped with it.
import type { TaskRow } from '../../api/shapes.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { shownName } from '../../room/actions.ts';

export function CancelDialog({
  task,
  onClose,
  onCancelTask,
}: {
  task: Pick<TaskRow, 'title' | 'name'>;
  onClose: () => void;
  onCancelTask: () => void;
}) {
  return (
    <Dialog title="Cancel the task?" onClose={onClose}>
      <p>
        An agent works on “<bdi>{shownName(task)}</bdi>” right now. Its turn is stopped.
      </p>
      <footer>
        <button type="button" class="danger" onClick={onCancelTask}>
          Cancel it and stop the turn
        </button>
      </footer>
    </Dialog>
  );
}
