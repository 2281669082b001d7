// What an agent can do upstream, and what is missing for the rest (T11): from the last sync, so that asking costs nothing.
import { existsSync } from 'node:fs';
import type { MirrorConfig } from '../core/chore/chore.ts';
import type { MirrorServices } from '../core/context/context.ts';
import { isRoomError } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import type { Effects } from '../effects.ts';
import type { MissingConfig, ProviderFactory } from '../providers/provider.ts';
import type { SourceServices } from '../store/ledger/mirrors/sources.ts';
import { baseOf } from './plan/plan-data.ts';
import { isTrustedBy, trustedBy } from './plan/trust.ts';
import type { SyncDeps, SyncPass } from './sync-pass.ts';

/** After a sync that reached the tracker. */
export function servicesOf({ chore, config, provider, factory, deps }: SyncPass): SourceServices {
  const from = factory.secrets.filter((name) => deps.effects.env[name]?.trim());
  const missing: MissingConfig[] = [];
  const lacking = (['status', 'outcome', 'comments'] as const).filter((word) => !config.push.includes(word));
  const write = provider.write !== undefined && !lacking.some((word) => word !== 'comments');
  const comment = provider.comment !== undefined && !lacking.includes('comments');
  const name = `chores/${chore}.md`;
  if (provider.write === undefined)
    missing.push({ what: `write access to ${config.source}`, set: 'Give the credentials write access.' });
  if (lacking.length > 0)
    missing.push({
      what: `\`push:\` of ${name} lacks ${new Intl.ListFormat('en-GB').format(lacking)}`,
      set: `Add ${lacking.join(', ')} to \`push:\` in ${name}.`,
    });
  return { write, comment, missing, from, trusted: trustedBy(config, provider.profile) };
}

const NO_SERVICES = { write: false, comment: false };

/** After a sync that could not reach it; null when that says nothing about what is set up. */
export async function servicesWithout(
  deps: SyncDeps,
  factory: ProviderFactory,
  config: MirrorConfig,
  error: unknown,
): Promise<SourceServices | null> {
  const missing = await factory.missing(config, deps.effects);
  if (missing.length > 0) return { ...NO_SERVICES, missing };
  if (!isRoomError(error, 'unauthorized')) return null;
  const set = error.hint ?? 'Check the credentials.';
  return { ...NO_SERVICES, missing: [{ what: error.message, set }] };
}

/** Null for a task that is not mirrored (any more). @param env of the process that syncs; null where that is another one */
export function readServices(
  { room, ledger }: Pick<SyncDeps, 'room' | 'ledger'>,
  task: TaskId,
  env: Effects['env'] | null,
): MirrorServices | null {
  const row = ledger.mirrors.get(task);
  if (row === null || row.state === 'detached') return null;
  const none = (what: string, set: string): MirrorServices => ({ ...NO_SERVICES, missing: [{ what, set }] });
  if (!existsSync(room.at(`chores/${row.chore}.md`)))
    return none(`chores/${row.chore}.md, which mirrors this task, is gone`, 'Put it back.');
  const source = ledger.sources.get(row.chore);
  if (!source?.services)
    return none(`${row.provider} was not reached yet`, `Run \`taskroom sync ${row.chore}\`.`);
  const { write, comment, missing, trusted, from = [] } = source.services;
  // What the last sync was let in with is gone: the next one will not be.
  if (env !== null && from.length > 0 && !from.some((name) => env[name]?.trim()))
    return none(`${from.join(' or ')} is not set any more`, `Set ${from[0]}.`);
  if (trusted === undefined) return { write, comment, missing };
  const base = baseOf(row);
  const requester = base !== null && isTrustedBy(base.remote, trusted);
  const says = (author: string, role: string | null) => isTrustedBy({ author, role, mine: false }, trusted);
  return { write, comment, missing, trust: { requester, comment: says } };
}
