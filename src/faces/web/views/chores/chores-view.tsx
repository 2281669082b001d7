// The chores: what each does, when it runs next, and how it went last.

import { addressOf } from '../../address.ts';
import { at, change } from '../../api/calls.ts';
import type { Chore } from '../../api/shapes.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { act } from '../../room/actions.ts';
import { useResource } from '../../room/resource.ts';

export function ChoresView() {
  const { value, error } = useResource(at('listChores', {}), ['chores']);
  if (error !== null && value === null) return <Failed error={error} />;
  if (value === null) return <Loading />;
  return (
    <div>
      <header class="view-head">
        <h1>Chores</h1>
      </header>
      {value.invalid.length === 0 ? null : (
        <ul class="faults">
          {value.invalid.map(({ path, problems }) => (
            <li key={path} class="why-not failed">
              <code>{path}</code> can’t be read: {problems[0]?.message}
            </li>
          ))}
        </ul>
      )}
      {value.chores.length === 0 ? (
        <Empty title="No chore yet">
          A chore is a file in chores/: a schedule, and a mirror to sync or a prompt to run.
        </Empty>
      ) : (
        <ul class="rows">
          {value.chores.map((chore) => (
            <ChoreRow key={chore.path} chore={chore} />
          ))}
        </ul>
      )}
    </div>
  );
}

function ChoreRow({ chore }: { chore: Chore }) {
  const { name, kind, source, schedule, result } = chore;
  const run = () => void act(`${name} runs`, change('runChore', { name }));
  return (
    <li class="card chore-card">
      <div class="card-main">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span class="muted">
          {kind}
          {source === null ? '' : ` of ${source}`} · {schedule ?? 'only when asked'}
        </span>
        <span class="chore-result">
          <ChoreState chore={chore} />{' '}
          {result === null ? (
            <span class="muted">never ran</span>
          ) : (
            <>
              <bdi>{result.message}</bdi>{' '}
              <span class="muted">
                <When at={chore.ended_at} />
              </span>{' '}
              {result.turn === null ? null : <a href={addressOf(['turn', result.turn])}>its turn</a>}
            </>
          )}
        </span>
        {chore.stopped === null ? null : <span class="why-not failed">stands still: {chore.stopped}</span>}
      </div>
      <div class="card-side">
        {chore.next_at === null ? null : (
          <span>
            next <When at={chore.next_at} />
          </span>
        )}
        <button
          type="button"
          data-stop
          disabled={chore.running}
          aria-label={`${kind === 'mirror' ? 'Sync now' : 'Run now'}: ${name}`}
          onClick={run}
        >
          {kind === 'mirror' ? 'Sync now' : 'Run now'}
        </button>
      </div>
    </li>
  );
}

function ChoreState({ chore: { running, pending, paused, result, failures } }: { chore: Chore }) {
  if (running) return <span class="mark tone-running">running</span>;
  if (pending) return <span class="mark tone-pending">queued</span>;
  if (paused) return <span class="mark tone-killed">paused</span>;
  if (result === null) return null;
  if (result.ok) return <span class="mark tone-completed">ok</span>;
  return <span class="mark tone-failed">failed{failures > 1 ? ` ${failures} times` : ''}</span>;
}
