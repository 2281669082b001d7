// What goes wrong at the tracker, laid in advance: each fault waits for its call and is then used up. Also counts what
// was written, so that a sync that should do nothing can be held to it.
import { RoomError } from '../../../src/core/errors.ts';
import type { MemoryCall, MemoryFault, MemoryTracker } from '../../support/memory-provider/tracker.ts';

export type FaultKind = 'before' | 'after' | 'limited' | 'lag' | 'empty' | 'refused' | 'meanwhile';

export interface Faults {
  /** @param calls how many calls pass before; @param act what somebody does in that moment, for `meanwhile` */
  lay(kind: FaultKind, on: 'reads' | 'writes', calls: number, times: number, act?: () => void): void;
  clear(): void;
  /** Calls of the provider that write, since the start. */
  readonly writes: number;
  readonly calls: string[];
}

type Laid = { kind: FaultKind; on: 'reads' | 'writes'; calls: number; times: number; act?: () => void };

export function createFaults(tracker: MemoryTracker): Faults {
  const laid: Laid[] = [];
  const faults = { writes: 0, calls: [] as string[] };
  tracker.onCall = (call) => {
    const on = isRead(call) ? 'reads' : 'writes';
    if (on === 'writes') faults.writes += 1;
    faults.calls.push(`${call.operation} ${call.ref ?? ''}`);
    // Lists come from replicas that lag behind; one issue is read where it is written.
    const index = laid.findIndex((one) => one.on === on && (one.kind !== 'lag' || call.operation === 'list'));
    const fault = laid[index];
    if (!fault) return null;
    if (fault.calls > 0) {
      fault.calls -= 1;
      return null;
    }
    fault.times -= 1;
    if (fault.times <= 0) laid.splice(index, 1);
    if (fault.kind !== 'meanwhile') return toFault(fault.kind);
    fault.act?.();
    return null;
  };
  return Object.assign(faults, {
    lay(kind: FaultKind, on: 'reads' | 'writes', calls: number, times: number, act?: () => void) {
      laid.push({ kind, on, calls, times, ...(act ? { act } : {}) });
    },
    clear() {
      laid.length = 0;
    },
  });
}

const isRead = ({ operation }: MemoryCall): boolean => operation === 'list' || operation === 'get';

function toFault(kind: Exclude<FaultKind, 'meanwhile'>): MemoryFault {
  const limited = { retryAfterMs: 30_000 };
  switch (kind) {
    case 'before':
      return { kind: 'before', error: new RoomError('unavailable', 'the tracker is down') };
    case 'after':
      return { kind: 'after', error: new RoomError('unavailable', 'the answer got lost') };
    case 'limited':
      return { kind: 'before', error: new RoomError('rate_limited', 'slow down', limited) };
    case 'refused':
      return { kind: 'before', error: new RoomError('refused', 'these credentials only read') };
    case 'lag':
      return { kind: 'lag', changes: 2 };
    default:
      return { kind: 'empty' };
  }
}
