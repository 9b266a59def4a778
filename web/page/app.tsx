import { useEffect, useRef } from 'preact/hooks';
import { followEvents } from './api/live.ts';
import { loadSession, session, sessionFault } from './api/session.ts';
import { Said } from './parts/action.tsx';
import { Fault, Unnamed, Waiting } from './parts/notice.tsx';
import { place } from './routing/location.ts';
import { VIEWS } from './routing/views.ts';
import { SideBar } from './shell/side-bar.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { SignIn } from './views/sign-in.tsx';

export function App() {
  if (session.value === undefined) {
    const fault = sessionFault.value;
    return (
      <main class="alone">
        {fault === undefined ? <Waiting /> : <Fault text={fault} onRetry={() => void loadSession()} />}
      </main>
    );
  }
  return session.value === null ? <SignIn /> : <SignedIn />;
}

function SignedIn() {
  useEffect(followEvents, []);
  const { path } = place.value;
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  const view = VIEWS.find((one) => one.path === path);
  useEffect(() => {
    document.title = view === undefined ? 'Lockhound' : `${view.title} · Lockhound`;
    // People who use a keyboard or a screen reader continue at the title of the view.
    if (shown.current !== path)
      main.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    shown.current = path;
  }, [path, view]);
  return (
    <>
      <a class="skip" href="#main" data-skip>
        Skip to content
      </a>
      <TopBar />
      <div class="layout">
        <SideBar />
        <main id="main" ref={main} tabIndex={-1}>
          <Said />
          {view === undefined ? (
            <Unnamed title="Nothing here">
              There is no view with this address. <a href="/">Overview</a>
            </Unnamed>
          ) : (
            <view.View />
          )}
        </main>
      </div>
    </>
  );
}
