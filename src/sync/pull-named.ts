// Asking for issues by name, as a webhook tells them: the known ones, new ones that the filter admits, and those that are
// not visible any more. Moves no cursor: the next listing shows them all again.
import type { NamedIssue } from '../providers/provider.ts';
import type { MirrorRow } from '../store/ledger/mirrors/mirrors.ts';
import { createTasks } from './pairing/create-tasks.ts';
import { type Listing, type Pulled, sortOut } from './pull.ts';
import { fetchMany, type SyncPass } from './sync-pass.ts';

/** @throws RoomError as `provider.get` */
export async function pullNamed(pass: SyncPass, issues: readonly NamedIssue[]): Promise<Pulled> {
  const asked = new Map<string, MirrorRow | null>();
  for (const issue of issues) {
    const row = rowOf(pass, issue);
    const ref = row?.ref ?? issue.ref;
    if (ref !== null && pass.factory.owns(ref, pass.config)) asked.set(ref, row);
  }
  const found = await fetchMany(pass, [...asked.keys()]);
  const listing: Listing = { known: new Map(), listed: new Set(), claims: null, complete: true };
  const fresh = sortOut(pass, listing, [...found.values()]);
  await createTasks(pass, fresh);
  const gone = [...asked].flatMap(([ref, row]) =>
    row !== null && found.get(ref)?.uid !== row.uid ? [row] : [],
  );
  const known = [...listing.known].map(([task, remote]) => ({ task, remote }));
  return { known, gone, listed: new Set(), whole: false, cursor: null, claims: new Map() };
}

/** The mirror that follows it, if this chore has one. What the ledger calls it counts: the tracker may have renamed it. */
function rowOf(pass: SyncPass, { ref, uid }: NamedIssue): MirrorRow | null {
  const { mirrors } = pass.deps.ledger;
  const { provider } = pass.config;
  const row = (uid === null ? null : mirrors.byUid(provider, uid)) ?? (ref && mirrors.byRef(provider, ref));
  return row && row.chore === pass.chore && row.state !== 'detached' ? row : null;
}
