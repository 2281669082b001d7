// The keys that count now.
import { Dialog } from '../parts/dialog.tsx';
import { activeShortcuts, type Shortcut } from './shortcuts.ts';

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy(activeShortcuts(), ({ group }) => group);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="key-groups">
        {[...groups].map(([group, keys]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {keys.map((shortcut) => (
                <div key={shortcut.key}>
                  <dt>
                    <KeyName shortcut={shortcut} />
                  </dt>
                  <dd>{shortcut.about}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

const NAMES: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };

function KeyName({ shortcut: { key } }: { shortcut: Shortcut }) {
  return (
    <>
      {key.split('+').map((name) => (
        <kbd key={name}>{NAMES[name] ?? name}</kbd>
      ))}
    </>
  );
}
