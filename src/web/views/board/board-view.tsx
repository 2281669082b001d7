// The tasks by status, in columns: dragged with the pointer or moved with the keyboard, by the operation that has the
// consequences of the move.
import { computed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { shownName } from '../../../core/task/names.ts';
import { isFinished, statusWord } from '../../../core/task/status.ts';
import { addressOf, place } from '../../address.ts';
import type { TaskRow } from '../../api/calls.ts';
import { Empty, Head, UnreadRows } from '../../parts/blocks.tsx';
import { Due, Labels, Priority, Signs, StatusDot, StepMeter, statusName } from '../../parts/marks.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { moveTask, refOf, takeAction } from '../../room/actions.ts';
import { allStatuses, areRowsRead, statusOf, taskRows, titleOf } from '../../room/queries.ts';
import { FilterBar, readFilter } from '../list/filter-bar.tsx';

const CARD_PX = 84; // Of most cards, until they are measured.
/** The type of what is dragged: a card of this page, no file and no text from elsewhere. */
const DRAGGED = 'application/x-taskroom-task';
const keyOf = (task: TaskRow) => task.path;

type Move = (task: TaskRow, to: string) => void;

function BoardColumn({ status, tasks, onMove }: { status: string; tasks: readonly TaskRow[]; onMove: Move }) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const path = event.dataTransfer?.getData(DRAGGED);
    const task = taskRows.value.find((each) => each.path === path);
    if (task !== undefined) onMove(task, status);
  };
  const running = tasks.filter((task) => task.running !== null).length;
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
        <StatusDot status={statusOf(status)} />
        {statusName(status)} <span class="muted">{tasks.length}</span>
        {running > 0 && <span class="small tone-running tone-text">{` ${running} running`}</span>}
      </h2>
      <VirtualRows
        items={tasks}
        rowPx={CARD_PX}
        isMeasured
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
    const all = allStatuses.value;
    const to = all[all.indexOf(statusWord(task)) + by];
    if (to !== undefined) onMove(task, to);
  };
  return (
    <a
      class="card board-card stack"
      data-stop
      data-task={refOf(task)}
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
      <span class="wrap small muted">
        <Signs task={task} most={2} />
        <Priority priority={task.priority} />
        <Due task={task} />
        <StepMeter steps={task.steps} />
        {task.owner === null ? null : <bdi>{task.owner}</bdi>}
        <Labels of={task.labels} />
      </span>
      {task.blocked && (
        <bdi class="small muted">{`waits for ${task.blocked_by.map(titleOf).join(', ')}`}</bdi>
      )}
    </a>
  );
}

const shown = computed(() => {
  const { fits } = readFilter(place.value.query, taskRows.value);
  const columns = new Map<string, TaskRow[]>(allStatuses.value.map((status) => [status, []]));
  // The room may have taken a status away since the task was read.
  for (const task of taskRows.value) if (fits(task)) columns.get(statusWord(task))?.push(task);
  // What was finished long ago is history: the newest stands first. What runs stands above what waits.
  for (const [status, tasks] of columns)
    if (isFinished(statusOf(status)))
      tasks.sort(({ finished_at: a }, { finished_at: b }) => ((a ?? '') < (b ?? '') ? 1 : -1));
    else tasks.sort((one, other) => Number(one.running === null) - Number(other.running === null));
  return columns;
});

export function BoardView() {
  const [moved, setMoved] = useState('');
  const columns = useRef<HTMLDivElement>(null);
  const isRead = areRowsRead.value;
  // On a narrow screen one column is seen: it begins with what runs.
  useEffect(() => {
    columns.current?.querySelector('[data-status="doing"]')?.scrollIntoView({ inline: 'start' });
  }, [isRead]);
  const move = (task: TaskRow, to: string) => {
    // A turn that runs is stopped with it: that is asked first.
    if (statusOf(to) === 'canceled' && task.running !== null) return takeAction('cancel', task);
    void moveTask(task, to).then((done) => done && setMoved(`${shownName(task)} moved to ${to}`));
  };
  if (!isRead) return <UnreadRows />;
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
        <div class="columns" ref={columns}>
          {allStatuses.value.map((status) => (
            <BoardColumn key={status} status={status} tasks={shown.value.get(status) ?? []} onMove={move} />
          ))}
        </div>
      )}
      <p class="unseen" role="status">
        {moved}
      </p>
    </div>
  );
}
