// A file that is an earlier version of itself again (a restore from git or a backup): what upstream said since stands,
// and the restored words are kept. What went up from here and is changed back is an edit like any other.
import { LOCAL_KEYS, type LocalKey, type Loss, type PlanInput, type RemoteFields } from './plan-data.ts';
import { refFor } from './plan-fields.ts';

/** The input as if the file had not been touched and upstream had changed since, for each field that would be undone. */
export function withoutRestored(input: PlanInput): { input: PlanInput; losses: Loss[] } {
  const { base, local, undone } = input;
  if (base === null || undone.size === 0) return { input, losses: [] };
  const fields = LOCAL_KEYS.filter(
    (key) => undone.has(key) && JSON.stringify(local[key]) !== JSON.stringify(base.local[key]),
  );
  if (fields.length === 0) return { input, losses: [] };
  const was = (side: (key: LocalKey) => unknown) => Object.fromEntries(fields.map((key) => [key, side(key)]));
  const remote = { ...base.remote, ...was((key) => asUpstream(input, key)) } as RemoteFields;
  return {
    input: { ...input, base: { ...base, local: { ...base.local, ...was((key) => local[key]) }, remote } },
    losses: fields.map((key) => lossOf(input, key)),
  };
}

/** What upstream said when the file said this. */
function asUpstream(input: PlanInput, key: LocalKey): unknown {
  const { local } = input;
  const refs = (words: readonly string[]) => words.flatMap((word) => refFor(input, word) ?? []);
  if (key === 'blockedBy') return refs(local.blockedBy).map((ref) => ({ ref, finished: false }));
  if (key === 'parent') return local.parent === null ? null : (refFor(input, local.parent) ?? '');
  return local[key] ?? '';
}

function lossOf({ local }: PlanInput, key: LocalKey): Loss {
  const value = local[key];
  const text = Array.isArray(value) ? value.join('\n') : (value ?? '');
  return { field: key === 'blockedBy' ? 'blocked_by' : key, side: 'local', text, isRestored: true };
}
