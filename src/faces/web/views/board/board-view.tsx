// The tasks by status, in columns: dragged with the pointer or moved with the keyboard, by the operation that has the
// consequences of the move.
import { computed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { place, setQuery } from '../../address.ts';
import type { Status, TaskRow } from '../../api/shapes.ts';
import { Empty, Loading } from '../../parts/states.tsx';
import { moveTask } from '../../room/actions.ts';
import { rowsReadAt, taskRows } from '../../room/task-rows.ts';
import { readFilter } from '../list/filter.ts';
import { FilterBar } from '../list/filter-bar.tsx';
import { BoardColumn } from './board-column.tsx';
import { COLUMNS, createFinishOrder } from './board-order.ts';
import { CancelDialog } from './cancel-dialog.tsx';

const OVER = (['done', 'canceled'] as const).map((status) => [status, createFinishOrder()] as const);

const shown = computed(() => {
  const wanted = readFilter(place.value.query);
  const columns = new Map<Status, TaskRow[]>(COLUMNS.map((status) => [status, []]));
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
    void moveTask(task, to).then((done) => done && say(`${task.title ?? task.name} moved to ${to}`));
  };
  if (rowsReadAt.value === null) return <Loading />;
  return (
    <div class="board-view">
      <header class="view-head">
        <h1>Board</h1>
        <FilterBar query={place.value.query} onChange={setQuery} />
      </header>
      {taskRows.value.length === 0 ? (
        <Empty title="No task yet">
          Make one here (n), or save a markdown file in the room’s folder tasks/.
        </Empty>
      ) : (
        <div class="columns">
          {COLUMNS.map((status) => (
            <BoardColumn key={status} status={status} tasks={shown.value.get(status)!} onMove={move} />
          ))}
        </div>
      )}
      <p class="unseen" role="status">
        {said}
      </p>
      {ending === null ? null : (
        <CancelDialog
          task={ending}
          onClose={() => setEnding(null)}
          onCancelTask={() => {
            setEnding(null);
            void moveTask(ending, 'canceled');
          }}
        />
      )}
    </div>
  );
}
