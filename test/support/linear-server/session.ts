// What one request sees of the state, and who asks.
import type { LinearState } from './records.ts';

/** One request's look at the state. */
export type Session = ReturnType<typeof createSession>;

/** Looks that would go through ten thousand records for each of twenty thousand go through an index. */
export function createSession(state: LinearState, viewerId: string) {
  const issues = indexed(
    () => state.issues,
    ({ id }) => id,
  );
  const comments = indexed(
    () => state.comments,
    ({ issueId }) => issueId,
  );
  return {
    state,
    viewerId,
    issue(id: string) {
      const [found] = issues(id);
      if (!found) throw new Error(`no issue ${id}`);
      return found;
    },
    commentsOf: comments,
  };
}

/** Made when first asked, and again after an addition or removal. */
function indexed<T>(read: () => readonly T[], keyOf: (record: T) => string): (key: string) => readonly T[] {
  let from: readonly T[] = [];
  let length = -1;
  let index = new Map<string, T[]>();
  return (key) => {
    const records = read();
    if (records !== from || records.length !== length) {
      index = Map.groupBy(records, keyOf);
      from = records;
      length = records.length;
    }
    return index.get(key) ?? [];
  };
}
