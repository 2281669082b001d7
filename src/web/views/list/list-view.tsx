// Every task in one list: searched, filtered, sorted; what is chosen stands in the address, so that it can be kept or sent.
import { computed } from '@preact/signals';
import { addressOf, place, setQuery } from '../../address.ts';
import type { TaskRow } from '../../api/shapes.ts';
import { Count, Head } from '../../parts/blocks.tsx';
import { Button, Choice } from '../../parts/fields.tsx';
import { Labels, Priority, Signs, StatusMark, StepMeter } from '../../parts/marks.tsx';
import { Empty, InvalidFiles, UnreadRows } from '../../parts/states.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { refOf, shownName } from '../../room/actions.ts';
import { invalidFiles, rowsReadAt, taskRows } from '../../room/task-rows.ts';
import { readFilter, readOrder, SORT_NAMES } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';

const ROW_PX = 44;
const keyOf = (task: TaskRow) => task.path;

const shown = computed(() => {
  const { query } = place.value;
  const tasks = taskRows.value.filter(readFilter(query));
  const order = readOrder(query);
  return order === null ? tasks : tasks.sort(order);
});

export function ListView() {
  if (rowsReadAt.value === null) return <UnreadRows />;
  const { length } = shown.value;
  const title = (
    <>
      List <Count of={length} />
    </>
  );
  return (
    <div class="list-view stack far">
      <Head title={title}>
        <FilterBar withStatus />
        <SortChoice />
      </Head>
      {invalidFiles.value.length > 0 && (
        <details>
          <summary class="note tone-failed">
            {`${invalidFiles.value.length} ${invalidFiles.value.length === 1 ? 'file' : 'files'} can’t be read`}
          </summary>
          <InvalidFiles files={invalidFiles.value} />
        </details>
      )}
      {length === 0 ? (
        <Empty title={taskRows.value.length === 0 ? 'No task yet' : 'No task is like that'}>
          {taskRows.value.length === 0 ? 'Create one with n.' : 'Take a filter away to see more.'}
        </Empty>
      ) : (
        <VirtualRows
          items={shown.value}
          rowPx={ROW_PX}
          keyOf={keyOf}
          label="Tasks"
          row={(task) => <ListRow task={task} />}
        />
      )}
    </div>
  );
}

function SortChoice() {
  const { query } = place.value;
  const isDown = query.get('down') !== null;
  const turn = () => setQuery({ down: isDown ? null : '1' });
  return (
    <span class="sort line">
      <Choice
        label="Sort by"
        value={query.get('sort') ?? 'room'}
        options={Object.entries(SORT_NAMES).map(([key, name]) => [key, `by ${name}`])}
        onChoose={(sort) => setQuery({ sort: sort === 'room' ? null : sort })}
      />
      {query.get('sort') && (
        <Button name={isDown ? '↓' : '↑'} kind="quiet" label="Other way round" run={turn} />
      )}
    </span>
  );
}

function ListRow({ task }: { task: TaskRow }) {
  return (
    <a class="list-row" data-stop href={addressOf(['task', refOf(task)])}>
      <StatusMark status={task.status} />
      <bdi class="cut">{shownName(task)}</bdi>
      <span class="list-signs line">
        <Signs task={task} most={2} />
      </span>
      <span class="list-facts line muted">
        <StepMeter steps={task.steps} />
        <Priority priority={task.priority} />
        <Labels of={task.labels.slice(0, 2)} />
        {task.due === null ? null : <span>due {task.due}</span>}
        {task.owner === null ? null : <bdi>{task.owner}</bdi>}
      </span>
    </a>
  );
}
