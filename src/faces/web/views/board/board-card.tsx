// A task on the board.
import { addressOf } from '../../address.ts';
import type { Status, TaskRow } from '../../api/shapes.ts';
import { Priority, Signs, StepMeter } from '../../parts/marks.tsx';
import { shownName } from '../../room/actions.ts';
import { besideStatus } from './board-order.ts';

/** Of a card with its gap; lines are cut so that it holds. */
export const CARD_PX = 110;
/** The type of what is dragged: a card of this page, no file and no text from elsewhere. */
export const DRAGGED = 'application/x-taskroom-task';

export function BoardCard({ task, onMove }: { task: TaskRow; onMove: (task: TaskRow, to: Status) => void }) {
  const move = (event: KeyboardEvent, by: 1 | -1) => {
    const to = besideStatus(task.status, by);
    event.preventDefault();
    event.stopPropagation();
    if (to !== null) onMove(task, to);
  };
  return (
    <a
      class="card board-card"
      data-stop
      href={addressOf(['task', task.id ?? task.name])}
      draggable={task.id !== null}
      aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
      onDragStart={(event) => {
        event.dataTransfer!.setData(DRAGGED, task.path);
        event.dataTransfer!.effectAllowed = 'move';
      }}
      onKeyDown={(event) => {
        if (event.shiftKey && event.key === 'ArrowLeft') move(event, -1);
        if (event.shiftKey && event.key === 'ArrowRight') move(event, 1);
      }}
    >
      <bdi class="card-title">{shownName(task)}</bdi>
      <span class="card-facts">
        <Signs task={task} most={2} />
        <Priority priority={task.priority} />
        <StepMeter steps={task.steps} />
      </span>
      <span class="card-facts muted">
        {task.owner === null ? null : <bdi>{task.owner}</bdi>}
        {task.labels.slice(0, 3).map((label) => (
          <bdi key={label} class="label">
            {label}
          </bdi>
        ))}
      </span>
    </a>
  );
}
