// Every call of a memory provider passes here: it is counted, an abort stops it, and a test can stand in its way.
import { RoomError } from '../../../src/core/errors.ts';
import type { Usage } from '../../../src/providers/provider.ts';
import type { MemoryCall, MemoryFault, MemoryTracker } from './tracker.ts';

export type Gate = ReturnType<typeof createGate>;

export function createGate(tracker: MemoryTracker) {
  const used: Usage = { requests: 0, notModified: 0, remaining: null, resetAt: null };
  return {
    used,
    /** Before the call acts. */
    enter(call: MemoryCall, signal: AbortSignal) {
      if (signal.aborted) throw new RoomError('interrupted', 'stopped', { cause: signal.reason });
      used.requests += 1;
      const fault = tracker.onCall?.(call) ?? null;
      if (fault?.kind === 'before') throw fault.error;
      return fault;
    },
    /** After it acted: an answer that is to be lost is lost here. */
    leave(fault: MemoryFault | null) {
      if (fault?.kind === 'after') throw fault.error;
    },
    /** The change up to which a read under this fault sees. */
    serialUnder(fault: MemoryFault | null) {
      if (fault?.kind === 'empty') return 0;
      return Math.max(0, tracker.serial - (fault?.kind === 'lag' ? fault.changes : 0));
    },
  };
}
