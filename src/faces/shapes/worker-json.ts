// What --json and the API say of a worker.

import { isoOrNull } from '../../core/time/iso-time.ts';
import type { WorkerView } from '../../runtime.ts';

export function workerJson({
  id,
  name,
  version,
  slots,
  agents,
  isLive,
  turns,
  trouble,
  ...times
}: WorkerView) {
  return {
    ...{ id, name, version, slots, agents, live: isLive, turns, trouble },
    started_at: isoOrNull(times.startedAt),
    seen_at: isoOrNull(times.seenAt),
  };
}
