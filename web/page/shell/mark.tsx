/** The mark of Lockhound: the head of a hound whose nose is a keyhole. `web/page/icon.svg` has the same. */
export function Mark() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M11.5 7.5C9 4.6 6 4 3.6 4.6 2.4 9 3 14 6.6 17.2Z" />
      <path d="M20.5 7.5C23 4.6 26 4 28.4 4.6 29.6 9 29 14 25.4 17.2Z" />
      <path d="M16 5.5c5.4 0 8.6 3.6 8.6 8.6 0 3-1 5-1.8 7.2C21.6 25 19.6 28.5 16 28.5s-5.6-3.5-6.8-7.2C8.4 19.1 7.4 17.1 7.4 14.1c0-5 3.2-8.6 8.6-8.6Z" />
      <g class="cut-out">
        <circle cx="12.3" cy="13.8" r="1.5" />
        <circle cx="19.7" cy="13.8" r="1.5" />
        <circle cx="16" cy="20" r="2.6" />
        <path d="M15.1 21h1.8l.9 4.4h-3.6Z" />
      </g>
    </svg>
  );
}
