// The web board: starts the page and keeps it in step with the room. Its frame: where one can go, how the room stands, and the view of the address.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { goBack, goTo, type Place, place } from './address.ts';
import { activeShortcuts, moveFocus, type Shortcut, useShortcuts } from './keys/shortcuts.ts';
import { Dialog } from './parts/dialog.tsx';
import { Button } from './parts/fields.tsx';
import { feedState, goLive } from './room/live.ts';
import { dismiss, notices } from './room/notices.ts';
import { useQuery } from './room/queries.ts';
import { applyTheme } from './room/theme.ts';
import { NewTaskDialog } from './views/new-task.tsx';
import { SideBar } from './views/side-bar.tsx';
import { LINKED_VIEWS, viewOf } from './views/views.tsx';

function App() {
  const [overlay, setOverlay] = useState<'help' | 'new' | null>(null);
  useShortcuts(frameShortcuts(setOverlay));
  const here = place.value;
  const view = viewOf(here);
  useTitle(here, view.title);
  const close = () => setOverlay(null);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <SideBar current={view.key} onNew={() => setOverlay('new')} onHelp={() => setOverlay('help')} />
      <main id="main" tabIndex={-1}>
        <Trouble />
        <view.Show key={view.key} path={here.path.slice(1)} />
      </main>
      <NoticeList />
      {overlay === 'help' && <ShortcutHelp onClose={close} />}
      {overlay === 'new' && <NewTaskDialog onClose={close} />}
    </div>
  );
}

function focusMain(): void {
  document.querySelector<HTMLElement>('main')?.focus();
}

/** A new view begins at its top, and screen readers hear its name. */
function useTitle({ path }: Place, title: string): void {
  const at = path.join('/');
  useEffect(() => {
    document.title = `${title} · taskroom`;
  }, [at, title]);
}

function frameShortcuts(show: (overlay: 'help' | 'new') => void): Shortcut[] {
  const group = 'Everywhere';
  return [
    { group, key: '?', about: 'Show the keys', run: () => show('help') },
    { group, key: 'n', about: 'New task', run: () => show('new') },
    { group, key: '/', about: 'Search the list', run: search },
    { group, key: 'j', about: 'Next', run: () => moveFocus(1) },
    { group, key: 'k', about: 'Previous', run: () => moveFocus(-1) },
    { group, key: 'Escape', about: 'Back', run: goBack },
    ...LINKED_VIEWS.map(({ digit, title, path }) => ({
      ...{ group: 'Go to', key: digit, about: title, run: () => goTo(path) },
    })),
  ];
}

function search(): void {
  const find = () => document.querySelector<HTMLInputElement>('#search');
  if (find() === null) goTo(['list']);
  // The list is drawn after the address changed.
  requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()));
}

const NAMES: Readonly<Record<string, string>> = { Escape: 'Esc' };

/** The keys that count now. */
function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy(activeShortcuts(), ({ group }) => group);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="key-groups">
        {[...groups].map(([group, keys]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {keys.map(({ key, about }) => (
                <div key={key}>
                  <dt>
                    <kbd>{NAMES[key] ?? key}</kbd>
                  </dt>
                  <dd>{about}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** What is wrong with the whole room, above every view: no connection, no session, or something outside that failed. */
function Trouble() {
  const { value, error } = useQuery('status', {});
  if (error?.status === 401)
    return (
      <div class="note tone-failed" role="alert">
        This session is over. <code>taskroom open</code> makes a new one.
      </div>
    );
  if (feedState.value === 'lost')
    return (
      <div class="note tone-pending" role="alert">
        No connection to the room; what you see may be old. It comes back by itself when{' '}
        <code>taskroom up</code> runs.
      </div>
    );
  const trouble = value?.trouble ?? [];
  if (trouble.length === 0) return null;
  return (
    <div class="note tone-failed" role="alert">
      {trouble.map(({ message, hint }) => (
        <p key={message}>
          {message}
          {hint && <small>{hint}</small>}
        </p>
      ))}
    </div>
  );
}

applyTheme();
goLive();
render(<App />, document.querySelector('#app')!);

// What was just done or went wrong, in a corner; screen readers say it when it comes.
function NoticeList() {
  return (
    <div class="notices stack" role="status" aria-live="polite">
      {notices.value.map(({ key, text, hint, failed, undo }) => {
        const takeBack = () => {
          dismiss(key);
          undo?.();
        };
        return (
          <div key={key} class={failed ? 'notice line note tone-failed' : 'notice line'}>
            <span class="grow">
              {text}
              {hint && <small>{hint}</small>}
            </span>
            {undo && <Button name="Undo" kind="quiet" run={takeBack} />}
            <Button name="×" kind="quiet" label="Dismiss" run={() => dismiss(key)} />
          </div>
        );
      })}
    </div>
  );
}
