import { render } from 'preact';
import { loadSession } from './api/session.ts';
import { App } from './app.tsx';
import { followLinks } from './routing/location.ts';

const root = document.querySelector('#app');
if (root === null) throw new Error('the document has no element for the page');
followLinks();
render(<App />, root);
void loadSession();
