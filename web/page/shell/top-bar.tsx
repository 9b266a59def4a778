import { health, useHealth } from '../api/health.ts';
import { isLive } from '../api/live.ts';
import { session, signOut } from '../api/session.ts';
import { Mark } from './mark.tsx';
import { isMenuOpen } from './side-bar.tsx';

const GRADES = {
  fine: 'Healthy',
  unknown: 'Not known',
  degraded: 'Needs attention',
  broken: 'Not healthy',
} as const;

export function TopBar() {
  const { name = '', via, role } = session.value ?? {};
  return (
    <header class="top-bar">
      <button
        type="button"
        class="menu-button"
        aria-expanded={isMenuOpen.value}
        aria-controls="views"
        onClick={() => {
          isMenuOpen.value = !isMenuOpen.value;
        }}
      >
        Menu
      </button>
      <a class="brand" href="/">
        <Mark />
        Lockhound
      </a>
      <Health />
      <span class={`live ${isLive.value ? 'on' : ''}`} role="status">
        {isLive.value ? 'Live' : 'Connecting …'}
      </span>
      <span class="who" title={`role ${role}`}>
        {via === 'machine' ? 'this machine' : name}
      </span>
      {via === 'session' ? (
        <button type="button" class="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      ) : null}
    </header>
  );
}

/** The verdict in a word. */
function Health() {
  useHealth();
  const { value } = health;
  if (value === undefined) return null;
  return (
    <a class={`health ${value.verdict}`} href="/?health" title={value.summary}>
      {GRADES[value.verdict]}
    </a>
  );
}
