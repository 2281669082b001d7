// The web board: starts the page and keeps it in step with the room.
import { render } from 'preact';
import { App } from './app.tsx';
import { goLive } from './room/live.ts';
import { applyTheme } from './room/theme.ts';

applyTheme();
goLive();
render(<App />, document.querySelector('#app')!);
