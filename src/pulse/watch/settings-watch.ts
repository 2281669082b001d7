// Settings that were saved: counted once they are quiet, since editors write them in several steps, and found by a stamp
// over room.yaml and the agents' files where no event told of them.
import type { Effects, Timer } from '../../effects.ts';
import type { Room } from '../../store/room.ts';
import { settingsStamp } from '../../store/settings-stamp.ts';

export interface SettingsWatch {
  /** Something happened to one of the files. */
  changed(): void;
  /** Looks whether they were saved unseen. */
  check(): void;
  close(): void;
}

const QUIET_MS = 200;

export function createSettingsWatch(
  room: Room,
  effects: Pick<Effects, 'setTimer'>,
  onSaved: () => void,
): SettingsWatch {
  let stamp = settingsStamp(room);
  let timer: Timer | null = null;
  function take(): void {
    stamp = settingsStamp(room);
    onSaved();
  }
  function changed(): void {
    timer?.cancel();
    timer = effects.setTimer(QUIET_MS, take, true);
  }
  return {
    changed,
    check() {
      if (settingsStamp(room) !== stamp) changed();
    },
    close: () => timer?.cancel(),
  };
}
