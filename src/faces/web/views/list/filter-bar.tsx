// The filters of a list: what they say stands in the address.
import { computed } from '@preact/signals';
import { statusName } from '../../parts/marks.tsx';
import { rowsReadAt, taskRows } from '../../room/task-rows.ts';
import { FILTER_KEYS, SIGNS } from './filter.ts';

type Change = (changes: Readonly<Record<string, string | null>>) => void;

/** What tasks said when all of them were read last, to choose from: not anew with each event. */
const choices = computed(() => {
  void rowsReadAt.value;
  const found = {
    owner: new Set<string>(),
    label: new Set<string>(),
    sprint: new Set<string>(),
    scope: new Set<string>(),
    artifact: new Set<string>(),
  };
  for (const { owner, labels, sprint, scope, artifact } of taskRows.peek()) {
    if (owner !== null) found.owner.add(owner);
    for (const label of labels) found.label.add(label);
    if (sprint !== null) found.sprint.add(sprint);
    if (scope !== null) found.scope.add(scope);
    if (artifact !== null) found.artifact.add(artifact);
  }
  return found;
});
const SIGN_NAMES: Readonly<Record<string, string>> = {
  running: 'running now',
  waiting: 'waiting for you',
  paused: 'paused',
  blocked: 'blocked',
  silent: 'ended silently',
  queued: 'queued',
};
const NAMES = { owner: 'Agent', label: 'Label', sprint: 'Sprint', scope: 'Scope', artifact: 'Plan' } as const;

export function FilterBar({
  query,
  onChange,
  withStatus = false,
}: {
  query: URLSearchParams;
  onChange: Change;
  withStatus?: boolean;
}) {
  const isFiltered = FILTER_KEYS.some((key) => query.get(key));
  return (
    <search class="filters">
      <input
        id="search"
        type="search"
        placeholder="Search"
        aria-label="Search tasks"
        value={query.get('text') ?? ''}
        onInput={({ currentTarget }) => onChange({ text: currentTarget.value || null })}
      />
      {withStatus ? (
        <Choice
          label="Status"
          value={query.get('status')}
          options={(['draft', 'todo', 'doing', 'done', 'canceled'] as const).map((each) => [
            each,
            statusName(each),
          ])}
          onChoose={(status) => onChange({ status })}
        />
      ) : null}
      <Choice
        label="State"
        value={query.get('sign')}
        options={Object.keys(SIGNS).map((key) => [key, SIGN_NAMES[key] ?? key])}
        onChoose={(sign) => onChange({ sign })}
      />
      <SaidChoices query={query} onChange={onChange} />
      <Choice
        label="Priority"
        value={query.get('priority')}
        options={[
          ['high', 'high'],
          ['medium', 'medium'],
          ['low', 'low'],
        ]}
        onChoose={(priority) => onChange({ priority })}
      />
      {isFiltered ? (
        <button
          type="button"
          class="quiet"
          onClick={() => onChange(Object.fromEntries(FILTER_KEYS.map((key) => [key, null])))}
        >
          Show all
        </button>
      ) : null}
    </search>
  );
}

/** What some task says, to choose from. */
function SaidChoices({ query, onChange }: { query: URLSearchParams; onChange: Change }) {
  return (
    <>
      {(['owner', 'label', 'sprint', 'scope', 'artifact'] as const).map((key) =>
        choices.value[key].size === 0 && !query.get(key) ? null : (
          <Choice
            key={key}
            label={NAMES[key]}
            value={query.get(key)}
            options={[...choices.value[key]].sort().map((each) => [each, each])}
            onChoose={(value) => onChange({ [key]: value })}
          />
        ),
      )}
    </>
  );
}

function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string | null;
  options: readonly (readonly [string, string])[];
  onChoose: (value: string | null) => void;
}) {
  return (
    <select
      aria-label={label}
      class={value ? 'chosen' : ''}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value || null)}
    >
      <option value="">{label}</option>
      {options.map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  );
}
