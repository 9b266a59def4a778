import { expect, it } from 'vitest';
import { formatNamed, LOCKED_BY } from '../../src/lockfiles/known-formats.ts';
import { unlockedReason } from '../../src/lockfiles/manifests.ts';

const NAMED = 'no lockfile locks the packages that it names: they were not looked up';

it.each([
  ['package.json', '{"dependencies": {"a": "1"}}', NAMED],
  ['package.json', '{"optionalDependencies": {"a": "1"}}', NAMED],
  ['package.json', '{"scripts": {"a": "1"}, "dependencies": {}, "peerDependencies": {"a": "1"}}', undefined],
  ['package.json', '[]', undefined],
  ['composer.json', '{"require-dev": {"acme/a": "1"}}', NAMED],
  ['composer.json', '{"require": {"php": ">=8", "ext-json": "*"}}', undefined],
  ['Cargo.toml', '[target."cfg(windows)".dependencies]\nwinapi = "1"', NAMED],
  ['Cargo.toml', '[dependencies]\nb = { path = "../b" }\n[workspace]\nmembers = ["b"]', undefined],
  ['pyproject.toml', '[project]\ndependencies = ["requests"]', NAMED],
  ['pyproject.toml', '[tool.poetry.group.dev.dependencies]\npytest = "*"', NAMED],
  [
    'pyproject.toml',
    '[tool.poetry.dependencies]\npython = "^3"\n[build-system]\nrequires = ["hatchling"]',
    undefined,
  ],
  ['Pipfile', '[dev-packages]\npytest = "*"', NAMED],
  ['Pipfile', '[packages]', undefined],
  ['Gemfile', "group :test do\n  gem 'rspec'\nend", NAMED],
  ['Gemfile', 'source "https://rubygems.org"\ngemspec', undefined],
  ['Podfile', "target 'App' do\n  pod 'AFNetworking'\nend", NAMED],
  ['Podfile', "platform :ios, '13.0'", undefined],
])('%s: %s', (name, text, reason) => {
  expect(unlockedReason(name, text)).toBe(reason);
});

it('does not take a manifest that cannot be read for one without packages', () => {
  expect(unlockedReason('package.json', '{')).toMatch(
    /which packages it names is not known: package\.json:1:2: /,
  );
  expect(unlockedReason('Cargo.toml', '= =')).toMatch(/which packages it names is not known: Cargo\.toml:1:/);
});

it('names formats that exist', () => {
  const names = [...LOCKED_BY.values()].flat();
  expect(names.filter((name) => formatNamed(name) === undefined)).toEqual([]);
});
