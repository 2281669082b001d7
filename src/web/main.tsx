// The web board: starts the page and keeps it in step with the room. Its frame: where one can go, how the room stands, and the view of the address.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { keyOf, PERSON_ACTIONS, TASK_ACTIONS } from '../core/person-keys.ts';
import { SUMMARIES } from '../operations/summaries.ts';
import { place } from './address.ts';
import { listenToKeys, type Overlay } from './keys/shortcuts.ts';
import { Button, Confirm, Dialog } from './parts/fields.tsx';
import { dismiss, notices, question } from './room/actions.ts';
import { eventsState, goLive } from './room/live.ts';
import { useQuery } from './room/queries.ts';
import { applyTheme } from './room/theme.ts';
import { NewTaskDialog } from './views/new-task.tsx';
import { Palette } from './views/palette.tsx';
import { SideBar, useLinkedViews, viewOf } from './views/views.tsx';

let showOverlay: (overlay: Overlay) => void = () => {};
let digits: readonly (readonly string[])[] = [];

function App() {
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const linked = useLinkedViews();
  showOverlay = setOverlay;
  digits = linked.map(({ path }) => path);
  const here = place.value;
  const view = viewOf(here);
  // Screen readers hear the name of a new view.
  useEffect(() => {
    document.title = `${view.title} · taskroom`;
  }, [here.path.join('/'), view.title]);
  const close = () => setOverlay(null);
  return (
    <div class="frame">
      <button type="button" class="skip unseen" onClick={focusMain}>
        Skip to the content
      </button>
      <SideBar current={view.key} views={linked} onShow={setOverlay} />
      <main id="main" tabIndex={-1}>
        <Trouble />
        <view.Show key={view.key} path={here.path.slice(1)} />
      </main>
      <NoticeList />
      {overlay === 'help' && <KeyHelp onClose={close} />}
      {overlay === 'new' && <NewTaskDialog onClose={close} />}
      {overlay === 'palette' && <Palette views={linked} onClose={close} onShow={setOverlay} />}
      {question.value && <Confirm of={question.value} onClose={() => (question.value = null)} />}
    </div>
  );
}

const focusMain = (): void => document.querySelector<HTMLElement>('main')?.focus();

/** The table of keys, as far as it is the board's. */
function KeyHelp({ onClose }: { onClose: () => void }) {
  const shown = PERSON_ACTIONS.filter((action) => keyOf(action).only !== 'top');
  const ofTask = new Set<string>(TASK_ACTIONS);
  const groups = Map.groupBy(shown, (action) =>
    ofTask.has(action) ? 'The task that is open or has the focus' : 'Everywhere',
  );
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="key-groups">
        {[...groups].map(([group, actions]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {actions.map((action) => {
                const { key, about, command, asks } = keyOf(action);
                return (
                  <div key={key} class="line">
                    <dt>
                      <kbd>{key}</kbd>
                    </dt>
                    <dd>{`${about ?? SUMMARIES[command!]}${asks === undefined ? '' : ' (asks first)'}`}</dd>
                  </div>
                );
              })}
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
  if (eventsState.value === 'lost')
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

// What was just done or went wrong, in a corner; screen readers say it when it comes.
const NoticeList = () => (
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

applyTheme();
goLive();
listenToKeys(
  (overlay) => showOverlay(overlay),
  () => digits,
);
render(<App />, document.querySelector('#app')!);
