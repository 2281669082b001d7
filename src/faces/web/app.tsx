// The frame of the page: where one can go, how the room stands, and the view of the address.
import { useEffect, useState } from 'preact/hooks';
import { goBack, goTo, type Place, place } from './address.ts';
import { ShortcutHelp } from './keys/shortcut-help.tsx';
import { moveFocus, type Shortcut, useShortcuts } from './keys/shortcuts.ts';
import { NoticeList } from './parts/notice-list.tsx';
import { NewTaskDialog } from './views/new-task.tsx';
import { SideBar } from './views/side-bar.tsx';
import { Trouble } from './views/trouble.tsx';
import { LINKED_VIEWS, viewOf } from './views/views.tsx';

export function App() {
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
