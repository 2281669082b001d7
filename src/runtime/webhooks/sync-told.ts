// The sync of what webhooks named. One that fails leaves a gap that the chore's next listing, soon again, has to fill.
import type { Effects } from '../../effects.ts';
import type { ToldIssue } from '../../pulse/ports.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { SyncOptions } from '../../sync/contract.ts';
import type { Sync } from '../../sync/sync.ts';

interface ToldDeps {
  ledger: Pick<Ledger, 'webhooks'>;
  effects: Pick<Effects, 'now'>;
  sync: Pick<Sync, 'syncChore'>;
}

/** @param issues null for all that changed */
export async function syncTold(
  { ledger, effects, sync }: ToldDeps,
  chore: string,
  issues: readonly ToldIssue[] | null,
  signal: AbortSignal,
): Promise<void> {
  const options: SyncOptions = { pull: true, push: true, wait: true, ...(issues === null ? {} : { issues }) };
  let isServed = false;
  try {
    isServed = (await sync.syncChore(chore, options, signal)).error === null;
  } finally {
    if (!isServed) ledger.webhooks.mark(chore, 'gapAt', effects.now());
  }
}
