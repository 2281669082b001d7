// One column of the board: takes cards that are dropped on it.
import { useState } from 'preact/hooks';
import type { Status, TaskRow } from '../../api/shapes.ts';
import { statusName, toneOf } from '../../parts/marks.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { taskRows } from '../../room/task-rows.ts';
import { BoardCard, CARD_PX, DRAGGED } from './board-card.tsx';

const keyOf = (task: TaskRow) => task.path;

export function BoardColumn({
  status,
  tasks,
  onMove,
}: {
  status: Status;
  tasks: readonly TaskRow[];
  onMove: (task: TaskRow, to: Status) => void;
}) {
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
      class={`column ${isOver ? 'over' : ''}`}
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
        <span class={`dot tone-${toneOf(status)}`} aria-hidden="true" />
        {statusName(status)} <span class="count">{tasks.length}</span>
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
