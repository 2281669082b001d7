// Every task in one list: searched, filtered, sorted; what is chosen stands in the address, so that it can be kept or sent.
import { computed } from '@preact/signals';
import { addressOf, place, setQuery } from '../../address.ts';
import type { TaskRow } from '../../api/shapes.ts';
import { Priority, Signs, StatusMark, StepMeter } from '../../parts/marks.tsx';
import { Empty, Loading } from '../../parts/states.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { shownName } from '../../room/actions.ts';
import { invalidFiles, rowsReadAt, taskRows } from '../../room/task-rows.ts';
import { readFilter, readOrder, SORT_KEYS } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';

const ROW_PX = 44;
const keyOf = (task: TaskRow) => task.path;

const shown = computed(() => {
  const { query } = place.value;
  const tasks = taskRows.value.filter(readFilter(query));
  const order = readOrder(query);
  return order === null ? tasks : tasks.sort(order);
});

const SORT_NAMES: Readonly<Record<string, string>> = {
  room: 'the room’s order',
  name: 'name',
  status: 'status',
  priority: 'priority',
  due: 'due date',
  finished: 'when finished',
};

export function ListView() {
  if (rowsReadAt.value === null) return <Loading />;
  const { query } = place.value;
  return (
    <div class="list-view">
      <header class="view-head">
        <h1>
          List <span class="count">{shown.value.length}</span>
        </h1>
        <FilterBar query={query} onChange={setQuery} withStatus />
        <SortChoice query={query} />
      </header>
      <InvalidFiles />
      {shown.value.length === 0 ? (
        <Empty title={taskRows.value.length === 0 ? 'No task yet' : 'No task is like that'}>
          {taskRows.value.length === 0 ? 'Make one with n.' : 'Take a filter away to see more.'}
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

function SortChoice({ query }: { query: URLSearchParams }) {
  const isDown = query.get('down') !== null;
  return (
    <span class="sort">
      <select
        aria-label="Sort by"
        value={query.get('sort') ?? 'room'}
        onChange={({ currentTarget: { value } }) => setQuery({ sort: value === 'room' ? null : value })}
      >
        {SORT_KEYS.map((key) => (
          <option key={key} value={key}>
            by {SORT_NAMES[key]}
          </option>
        ))}
      </select>
      {query.get('sort') === null ? null : (
        <button
          type="button"
          class="quiet"
          aria-pressed={isDown}
          aria-label="Other way round"
          onClick={() => setQuery({ down: isDown ? null : '1' })}
        >
          {isDown ? '↓' : '↑'}
        </button>
      )}
    </span>
  );
}

function ListRow({ task }: { task: TaskRow }) {
  return (
    <a class="list-row" data-stop href={addressOf(['task', task.id ?? task.name])}>
      <StatusMark status={task.status} />
      <bdi class="list-name">{shownName(task)}</bdi>
      <span class="list-signs">
        <Signs task={task} most={2} />
      </span>
      <span class="list-facts muted">
        <StepMeter steps={task.steps} />
        <Priority priority={task.priority} />
        {task.labels.slice(0, 2).map((label) => (
          <bdi key={label} class="label">
            {label}
          </bdi>
        ))}
        {task.due === null ? null : <span>due {task.due}</span>}
        {task.owner === null ? null : <bdi>{task.owner}</bdi>}
      </span>
    </a>
  );
}

function InvalidFiles() {
  if (invalidFiles.value.length === 0) return null;
  return (
    <details class="invalid-files">
      <summary>
        {invalidFiles.value.length} {invalidFiles.value.length === 1 ? 'file' : 'files'} can’t be read
      </summary>
      <ul>
        {invalidFiles.value.slice(0, 50).map(({ path, problems }) => (
          <li key={path}>
            <code>{path}</code> {problems[0]?.message}
          </li>
        ))}
      </ul>
    </details>
  );
}
