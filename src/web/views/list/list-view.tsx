// Every task in one list: searched, filtered, sorted by its columns; what is chosen stands in the address, so that it can be kept
// or sent. Selected tasks are changed together.
import { computed } from '@preact/signals';
import { shownName } from '../../../core/task/names.ts';
import { PRIORITIES } from '../../../core/task/status.ts';
import { addressOf, place, setQuery } from '../../address.ts';
import type { TaskRow } from '../../api/calls.ts';
import { Count, Empty, Head, InvalidFiles, UnreadRows } from '../../parts/blocks.tsx';
import { Button, Choice, type Option, WordsForm } from '../../parts/fields.tsx';
import { Due, Labels, Priority, Signs, StatusMark, StepMeter, statusOptions } from '../../parts/marks.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { changeAll, refOf } from '../../room/actions.ts';
import { areRowsRead, invalidFiles, select, selection, taskRows, useQuery } from '../../room/queries.ts';
import { FilterBar, readFilter, readOrder } from './filter-bar.tsx';

const ROW_PX = 40;
const keyOf = (task: TaskRow) => task.path;

const shown = computed(() => {
  const { query } = place.value;
  return taskRows.value.filter(readFilter(query, taskRows.value).fits).sort(readOrder(query));
});

export function ListView() {
  if (!areRowsRead.value) return <UnreadRows />;
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
      </Head>
      {invalidFiles.value.length > 0 && (
        <details>
          <summary class="note tone-failed">
            {`${invalidFiles.value.length} ${invalidFiles.value.length === 1 ? 'file' : 'files'} can’t be read`}
          </summary>
          <InvalidFiles files={invalidFiles.value} />
        </details>
      )}
      <BulkBar />
      {length === 0 ? (
        <Empty title={taskRows.value.length === 0 ? 'No task yet' : 'No task is like that'}>
          {taskRows.value.length === 0 ? 'Create one with n.' : 'Take a filter away to see more.'}
        </Empty>
      ) : (
        <div class="task-table">
          <ColumnHeads />
          <VirtualRows
            items={shown.value}
            rowPx={ROW_PX}
            keyOf={keyOf}
            label="Tasks"
            row={(task) => <ListRow task={task} />}
          />
        </div>
      )}
    </div>
  );
}

const COLUMNS = ['status', 'title', '', 'priority', 'due', 'steps', 'owner', 'labels'];

/** Each sorts by its column: down, up, and in the room's order again. */
function ColumnHeads() {
  const { query } = place.value;
  const [sort, isDown] = [query.get('sort'), query.get('down') !== null];
  const sortBy = (column: string) => {
    if (sort !== column) return setQuery({ sort: column, down: null });
    setQuery(isDown ? { sort: null, down: null } : { down: '1' });
  };
  return (
    <div class="list-heads">
      <span />
      {COLUMNS.map((column) =>
        column === '' ? (
          <span key={column} />
        ) : (
          <button
            key={column}
            type="button"
            class="quiet"
            title={`Sort by ${column}`}
            aria-pressed={sort === column}
            onClick={() => sortBy(column)}
          >
            {column.charAt(0).toUpperCase() + column.slice(1)}
            {sort === column && <span aria-hidden="true">{isDown ? '↓' : '↑'}</span>}
          </button>
        ),
      )}
    </div>
  );
}

const ListRow = ({ task }: { task: TaskRow }) => (
  <div class="list-row" data-task={refOf(task)}>
    <input
      type="checkbox"
      aria-label={`Select ${shownName(task)}`}
      checked={selection.value.has(task.path)}
      onChange={() => select(task)}
    />
    <StatusMark status={task.status} own_status={task.own_status} />
    <a class="cut" data-stop href={addressOf(['task', refOf(task)])}>
      <bdi>{shownName(task)}</bdi>
    </a>
    <span class="list-signs line">
      <Signs task={task} most={2} />
    </span>
    <span class="fact">
      <Priority priority={task.priority} />
    </span>
    <span class="fact">
      <Due task={task} />
    </span>
    <span class="fact">
      <StepMeter steps={task.steps} />
    </span>
    <bdi class="cut fact muted">{task.owner}</bdi>
    <span class="line fact">
      <Labels of={task.labels} />
    </span>
  </div>
);

function BulkBar() {
  const agents = useQuery('listAgents', selection.value.size > 0 ? {} : null).value?.agents ?? [];
  const tasks = taskRows.value.filter(({ path }) => selection.value.has(path));
  if (tasks.length === 0) return null;
  const owners = agents.map(({ id, name }): Option => [id, name]);
  const choice = (label: string, key: string, options: readonly Option[]) => (
    <Choice
      label={`${label} of the selected tasks`}
      none={label}
      value={null}
      options={options}
      onChoose={(value) =>
        value !== null &&
        void changeAll(tasks, `${label.toLowerCase()} is ${value}`, () => ({ [key]: value }))
      }
    />
  );
  const addLabel = async (label: string) => {
    await changeAll(tasks, `label ${label} is added`, ({ labels }) => ({
      labels: [...new Set([...labels, label.trim()])],
    }));
    return true;
  };
  return (
    <div class="bulk wrap note tone-accent" role="group" aria-label="Change the selected tasks">
      <strong>{`${tasks.length} selected`}</strong>
      {choice('Status', 'status', statusOptions())}
      {choice('Owner', 'owner', owners)}
      {choice('Priority', 'priority', PRIORITIES)}
      <WordsForm
        draft="bulk label"
        label="Label for the selected tasks"
        placeholder="Add a label"
        button="Add label"
        isLine
        send={addLabel}
      />
      <Button
        name="Select all shown"
        kind="quiet"
        run={() => (selection.value = new Set(shown.value.map(keyOf)))}
      />
      <Button name="Select none" kind="quiet" run={() => (selection.value = new Set())} />
    </div>
  );
}
