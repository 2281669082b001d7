// The tasks by status, in columns: dragged with the pointer or moved with the keyboard, by the operation that has the
// consequences of the move.
import { computed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { STATUSES } from '../../../core/task/status.ts';
import { place } from '../../address.ts';
import type { Status, TaskRow } from '../../api/shapes.ts';
import { Head } from '../../parts/blocks.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Empty, Loading } from '../../parts/states.tsx';
import { moveTask, shownName } from '../../room/actions.ts';
import { rowsReadAt, taskRows } from '../../room/task-rows.ts';
import { readFilter } from '../list/filter.ts';
import { FilterBar } from '../list/filter-bar.tsx';
import { BoardColumn } from './board-column.tsx';
import { createFinishOrder } from './finish-order.ts';

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
  if (rowsReadAt.value === null) return <Loading />;
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
