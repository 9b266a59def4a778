import { eq, gt, prerelease, satisfies, valid } from '@renovatebot/ruby-semver';
import type { VersionScheme } from './version-scheme.ts';

/** RubyGems. A platform after the version (`1.2.3-x86_64-linux`) names a build and has no order. */
export const ruby: VersionScheme = {
  isValid: (version) => valid(plain(version)) !== null,
  compare(left, right) {
    if (eq(plain(left), plain(right))) return 0;
    return gt(plain(left), plain(right)) ? 1 : -1;
  },
  isPrerelease: (version) => prerelease(plain(version)) !== null,
  line: (version) => /^\d+/.exec(version)?.[0] ?? '',
  satisfies(version, requirement) {
    const parts = requirement.split(',').map((part) => part.trim());
    const readable = parts.every(
      (part) => valid(/^(?:=|!=|>=|<=|~>|>|<)?\s*(\S+)$/.exec(part)?.[1] ?? '') !== null,
    );
    return readable ? satisfies(plain(version), parts.join(', ')) : undefined;
  },
};

function plain(version: string): string {
  return version.replace(/-(?:java|jruby|ruby|universal|x86|x64|arm|aarch64|mswin|mingw).*$/, '');
}
