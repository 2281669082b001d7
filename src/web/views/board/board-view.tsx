// The tasks by status, in columns: dragged with the pointer or moved with the keyboard, by the operation that has the
// consequences of the move.
import { computed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { STATUSES } from '../../../core/task/status.ts';
import { addressOf, place } from '../../address.ts';
import type { Status, TaskRow } from '../../api/shapes.ts';
import { Head } from '../../parts/blocks.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Labels, Priority, Signs, StatusDot, StepMeter, statusName } from '../../parts/marks.tsx';
import { Empty, UnreadRows } from '../../parts/states.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { moveTask, refOf, shownName } from '../../room/actions.ts';
import { rowsReadAt, taskRows } from '../../room/task-rows.ts';
import { readFilter } from '../list/filter.ts';
import { FilterBar } from '../list/filter-bar.tsx';
import { createFinishOrder } from './finish-order.ts';

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

function BoardColumn({ status, tasks, onMove }: ColumnProps) {
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

const OVER = (['done', 'canceled'] as const).map((status) => [status, createFinishOrder()] as const);

const shown = computed(() => {
  const wanted = readFilter(place.value.query);
  const columns = new Map<Status, TaskRow[]>(STATUSES.map((status) => [status, []]));
  for (const task of taskRows.value) if (wanted(task)) columns.get(task.status)!.push(task);
  for (const [status, inOrder] of OVER) columns.set(status, inOrder(columns.get(status)!));
  return columns;
});

export function BoardView() {
  const [ending, setEnding] = useState<TaskRow | null>(null);
  const [said, say] = useState('');
  const move = (task: TaskRow, to: Status) => {
    // A turn that runs is stopped with it: that is asked first.
    if (to === 'canceled' && task.running !== null) return setEnding(task);
    void moveTask(task, to).then((done) => done && say(`${shownName(task)} moved to ${to}`));
  };
  if (rowsReadAt.value === null) return <UnreadRows />;
  return (
    <div class="list-view stack far">
      <Head title="Board">
        <FilterBar />
      </Head>
      {taskRows.value.length === 0 ? (
        <Empty title="No task yet">
          Create one here (n), or save a markdown file in the room’s folder tasks/.
        </Empty>
      ) : (
        <div class="columns">
          {STATUSES.map((status) => (
            <BoardColumn key={status} status={status} tasks={shown.value.get(status)!} onMove={move} />
          ))}
        </div>
      )}
      <p class="unseen" role="status">
        {said}
      </p>
      {ending && <CancelDialog task={ending} onClose={() => setEnding(null)} />}
    </div>
  );
}

/** Asked before a task is canceled while its turn runs. */
export function CancelDialog({ task, onClose }: { task: TaskRow; onClose: () => void }) {
  return (
    <Confirm
      title="Cancel the task?"
      button="Cancel it and stop the turn"
      kind="danger"
      onConfirm={() => moveTask(task, 'canceled')}
      onClose={onClose}
    >
      An agent works on “<bdi>{shownName(task)}</bdi>” right now. Its turn is stopped.
    </Confirm>
  );
}
