// What the machine of a room does for its person, asked of its daemon from another one.
import type { HttpWay } from '../../remote/http-way.ts';
import type { HostOperations } from '../../runtime.ts';

export function hostElsewhere({ send }: HttpWay): HostOperations {
  type Answer<Name extends 'workers' | 'examine' | 'readFile' | 'saveFile'> = ReturnType<
    HostOperations[Name]
  >;
  type Tokens = HostOperations['tokens'];
  return {
    tokens: {
      list: () => send('tokens', {}) as ReturnType<Tokens['list']>,
      create: (wish) => send('createToken', wish) as ReturnType<Tokens['create']>,
      revoke: (name) => send('revokeToken', { name }) as ReturnType<Tokens['revoke']>,
    },
    workers: () => send('workers', {}) as Answer<'workers'>,
    examine: () => send('examineRoom', {}) as Answer<'examine'>,
    placeOf: () => null,
    readFile: (path) => send('readFile', { path }) as Answer<'readFile'>,
    saveFile: (path, edit) => send('saveFile', { path, edit }) as Answer<'saveFile'>,
  };
}
