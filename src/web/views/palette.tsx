// The palette: what is typed finds tasks, views and what can be done with the task that is open.
import { useState } from 'preact/hooks';
import { actionName, isPossible, keyOf, TASK_ACTIONS } from '../../core/person-keys.ts';
import { shownName } from '../../core/task/names.ts';
import { goTo } from '../address.ts';
import type { TaskRow } from '../api/calls.ts';
import { currentTask, type Overlay } from '../keys/shortcuts.ts';
import { Dialog } from '../parts/fields.tsx';
import { StatusMark } from '../parts/marks.tsx';
import { refOf, takeAction } from '../room/actions.ts';
import { taskRows } from '../room/queries.ts';
import { hasWords } from './list/filter-bar.tsx';
import type { LinkedView } from './views.tsx';

type Entry = { key: string; name: string; about: preact.ComponentChildren; run(): unknown };
type PaletteProps = { views: readonly LinkedView[]; onClose: () => void; onShow: (overlay: Overlay) => void };

const MOST_TASKS = 12;

export function Palette(props: PaletteProps) {
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  // The dialog takes the focus: the task is the one that had it before.
  const [task] = useState(currentTask);
  const entries = entriesOf(text, task, props);
  const at = Math.min(chosen, entries.length - 1);
  const take = (entry: Entry | undefined) => {
    props.onClose();
    entry?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (by === undefined) take(entries[at]);
    else choose((at + by + entries.length) % Math.max(1, entries.length));
  };
  return (
    <Dialog title="Find a task or an action" onClose={props.onClose}>
      <input
        class="grow"
        role="combobox"
        aria-label="Task or action"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={entries.length > 0 ? `palette-${at}` : undefined}
        placeholder="Words of a task, a view, an action"
        autofocus
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          choose(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette" role="listbox" aria-label="Found" class="palette">
        {entries.map((entry, place) => (
          <button
            key={entry.key}
            id={`palette-${place}`}
            type="button"
            role="option"
            class="quiet"
            tabIndex={-1}
            aria-selected={place === at}
            onClick={() => take(entry)}
          >
            <bdi class="grow cut">{entry.name}</bdi>
            {entry.about}
          </button>
        ))}
        {entries.length === 0 && <p class="muted">Nothing is called that.</p>}
      </div>
    </Dialog>
  );
}

function entriesOf(text: string, task: TaskRow | undefined, { views, onShow }: PaletteProps): Entry[] {
  const kbd = (key: string) => <kbd>{key}</kbd>;
  const actions = TASK_ACTIONS.filter((action) => task !== undefined && isPossible(action, task)).map(
    (action): Entry => ({
      key: action,
      name: `${actionName(action, task!)}: ${shownName(task!)}`,
      about: kbd(keyOf(action).key),
      run: () => takeAction(action, task!),
    }),
  );
  const places = views.map(
    ({ key, title, path, digit }): Entry => ({
      ...{ key: `view ${key}`, name: `Go to ${title}`, about: kbd(digit) },
      run: () => goTo(path),
    }),
  );
  const more: Entry[] = [
    { key: 'new', name: 'New task', about: kbd('n'), run: () => onShow('new') },
    { key: 'help', name: 'Show the keys', about: kbd('?'), run: () => onShow('help') },
  ];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ name }: Entry) => words.every((word) => name.toLowerCase().includes(word));
  const tasks = words.length === 0 ? [] : taskRows.value.filter((each) => hasWords(each, words));
  const found = tasks
    .slice(0, MOST_TASKS)
    .map(
      (each): Entry => ({
        key: each.path,
        name: shownName(each),
        about: <StatusMark status={each.status} own_status={each.own_status} />,
        run: () => goTo(['task', refOf(each)]),
      }),
    );
  return [...[...actions, ...more, ...places].filter(fits), ...found];
}
