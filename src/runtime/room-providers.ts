// The providers of a room: the built-in ones and those that its settings name.
import { createProviderRegistry, type ProviderRegistry } from '../providers/registry.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function providersOf({ room, config }: Pick<TaskRoom, 'room' | 'config'>): ProviderRegistry {
  return createProviderRegistry({ roomDir: room.dir, files: config().providers });
}
