// One column of the board and its cards: takes cards that are dropped on it.
import { useState } from 'preact/hooks';
import { STATUSES } from '../../../core/task/status.ts';
import { addressOf } from '../../address.ts';
import type { Status, TaskRow } from '../../api/shapes.ts';
import { Labels, Priority, Signs, StatusDot, StepMeter, statusName } from '../../parts/marks.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { refOf, shownName } from '../../room/actions.ts';
import { taskRows } from '../../room/task-rows.ts';

/** Of a card with its gap; lines are cut so that it holds. */
const CARD_PX = 110;
/** The type of what is dragged: a card of this page, no file and no text from elsewhere. */
const DRAGGED = 'application/x-taskroom-task';
const keyOf = (task: TaskRow) => task.path;

type Move = (task: TaskRow, to: Status) => void;

interface ColumnProps {
  status: Status;
  tasks: readonly TaskRow[];
  onMove: Move;
}

export function BoardColumn({ status, tasks, onMove }: ColumnProps) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const path = event.dataTransfer?.getData(DRAGGED);
    const task = taskRows.value.find((each) => each.path === path);
    if (task !== undefined) onMove(task, status);
  };
  return (
    <section
      class={isOver ? 'column stack over' : 'column stack'}
      data-status={status}
      aria-labelledby={`column-${status}`}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={drop}
    >
      <h2 id={`column-${status}`}>
        <StatusDot status={status} />
        {statusName(status)} <span class="muted">{tasks.length}</span>
      </h2>
      <VirtualRows
        items={tasks}
        rowPx={CARD_PX}
        keyOf={keyOf}
        label={`${statusName(status)}, ${tasks.length} tasks`}
        row={(task) => <BoardCard task={task} onMove={onMove} />}
      />
    </section>
  );
}

const STEPS: Readonly<Record<string, -1 | 1>> = { ArrowLeft: -1, ArrowRight: 1 };

function BoardCard({ task, onMove }: { task: TaskRow; onMove: Move }) {
  const moveByKey = (event: KeyboardEvent) => {
    const by = event.shiftKey && STEPS[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const to = STATUSES[STATUSES.indexOf(task.status) + by];
    if (to !== undefined) onMove(task, to);
  };
  return (
    <a
      class="card board-card stack"
      data-stop
      href={addressOf(['task', refOf(task)])}
      draggable={task.id !== null}
      aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
      onDragStart={(event) => {
        event.dataTransfer!.setData(DRAGGED, task.path);
        event.dataTransfer!.effectAllowed = 'move';
      }}
      onKeyDown={moveByKey}
    >
      <bdi class="card-title">{shownName(task)}</bdi>
      <span class="line small">
        <Signs task={task} most={2} />
        <Priority priority={task.priority} />
        <StepMeter steps={task.steps} />
      </span>
      <span class="line small muted">
        {task.owner === null ? null : <bdi>{task.owner}</bdi>}
        <Labels of={task.labels.slice(0, 3)} />
      </span>
    </a>
  );
}
