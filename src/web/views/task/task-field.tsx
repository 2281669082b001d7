// A field for one front matter key, by the kind of value that its declaration names; the same for a new task and for one that is there.
import { useState } from 'preact/hooks';
import { shownName } from '../../../core/task/names.ts';
import { PRIORITIES } from '../../../core/task/status.ts';
import type { TASK_FIELDS } from '../../../operations/summaries.ts';
import { addressOf } from '../../address.ts';
import { Button, Choice, type Option } from '../../parts/fields.tsx';
import { refOf } from '../../room/actions.ts';
import { useDraft } from '../../room/drafts.ts';
import { taskRows, titleOf, useQuery, wordOf } from '../../room/queries.ts';
import { hasWords } from '../list/filter-bar.tsx';

export type FieldInfo = (typeof TASK_FIELDS)[number];
export type FieldValue = string | number | readonly string[] | null;

interface FieldProps {
  field: FieldInfo;
  value: FieldValue;
  disabled?: boolean | undefined;
  onType?: (text: string) => void; // Each letter of a text, before it is saved.
  onSave: (value: FieldValue) => unknown;
}

/** `blocked_by` is shown as "Blocked by". */
export function fieldName(key: string): string {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function TaskField({ field, value, disabled, onType, onSave }: FieldProps) {
  const { key, kind, about } = field;
  const label = fieldName(key);
  const owners = useOwners(kind === 'agent', value);
  if (kind === 'agent' || kind === 'priority')
    return (
      <Choice
        label={label}
        none={kind === 'agent' ? 'the room’s default' : 'none'}
        disabled={disabled}
        value={value as string | null}
        options={kind === 'agent' ? owners : PRIORITIES}
        onChoose={onSave}
      />
    );
  if (kind === 'task' || kind === 'tasks') {
    const refs = value === null || value === '' ? [] : [value].flat().map(String);
    const save = (next: readonly string[]) => onSave(kind === 'tasks' ? next : (next.at(-1) ?? null));
    return <TaskPicker label={label} refs={refs} disabled={disabled} onSave={save} />;
  }
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  const isDay = kind === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(text);
  const props = {
    ...{ 'aria-label': label, title: about, disabled: disabled === true, autocomplete: 'off', value: text },
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onType?.(currentTarget.value),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onSave(parsedValue(kind, currentTarget.value.trim())),
  };
  return isDay ? <input type="date" {...props} /> : <input {...props} />;
}

function useOwners(isAgent: boolean, value: FieldValue): readonly Option[] {
  const agents = useQuery('listAgents', isAgent ? {} : null).value?.agents ?? [];
  const options = agents.map(({ id, name }): Option => [id, name]);
  const isKnown = value === null || value === '' || agents.some(({ id }) => id === value);
  return isKnown ? options : [...options, String(value)];
}

/** What stands between the separators; blanks around it and empty parts are left out. */
export const partsOf = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);

function parsedValue(kind: FieldInfo['kind'], text: string): FieldValue {
  if (kind === 'list') return partsOf(text, ',');
  if (text === '') return null;
  return kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** A text field of a task that is there: what is typed is a draft until it is saved. */
export function SavedField({ draft: key, ...props }: FieldProps & { draft: string }) {
  const draft = useDraft<string>(key);
  const save = async (value: FieldValue) => {
    const isSame = String(value ?? '') === String(props.value ?? '');
    if (isSame || (await props.onSave(value))) draft.discard(draft.value);
  };
  return <TaskField {...props} value={draft.value ?? props.value} onType={draft.keep} onSave={save} />;
}

interface PickerProps {
  label: string;
  refs: readonly string[];
  disabled?: boolean | undefined;
  onSave: (refs: readonly string[]) => unknown;
}

const MOST_FOUND = 8;

/** Tasks as links that can be taken away, and a search that adds one. */
function TaskPicker({ label, refs, disabled, onSave }: PickerProps) {
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const ids = refs.map(wordOf);
  const found = words.length === 0 ? [] : taskRows.value.filter((task) => hasWords(task, words));
  return (
    <div class="picker stack grow">
      {ids.map((id) => (
        <span key={id} class="line">
          <a class="grow" href={addressOf(['task', id])}>
            <bdi>{titleOf(id)}</bdi>
          </a>
          {disabled || (
            <Button
              name="×"
              kind="quiet"
              label={`Remove ${titleOf(id)} from ${label}`}
              run={() => onSave(ids.filter((each) => each !== id))}
            />
          )}
        </span>
      ))}
      {disabled || (
        <input
          aria-label={label}
          placeholder="Find a task"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {found.slice(0, MOST_FOUND).map((task) => (
        <Button
          key={task.path}
          name={shownName(task)}
          label={`Add ${shownName(task)} to ${label}`}
          run={() => {
            setText('');
            onSave([...ids, refOf(task)]);
          }}
        />
      ))}
    </div>
  );
}
