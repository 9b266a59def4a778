import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { BENCH_FOLDER } from './peers.ts';
import { runCommand } from './run-command.ts';

export const LOCKFILE_FOLDER = join(BENCH_FOLDER, 'lockfiles');

/** Approximate sizes in packages, and the dependencies that lead to them. */
export const SIZES: Readonly<Record<string, readonly string[]>> = {
  '1000': ['react-scripts', 'eslint@^8', 'jest@^27', 'gulp@^4'],
  '6500': [
    ...['react-scripts', 'rs4=react-scripts@^4', '@angular/cli', 'ng15=@angular/cli@^15'],
    ...['@angular-devkit/build-angular', 'next', 'nuxt', 'gatsby', 'react-native', 'webpack'],
    ...['wp4=webpack@^4', '@storybook/react-webpack5', 'storybook', 'jest@^29', 'jest26=jest@^26'],
    ...['mocha', 'eslint@^8', 'eslint-config-airbnb', '@nestjs/cli', 'nx@^20', 'lerna@^8', 'lerna4=lerna@^4'],
    ...['serverless@^3', '@aws-sdk/client-s3', 'firebase', 'firebase-tools', 'puppeteer', 'cypress'],
    ...['ember-cli', '@vue/cli-service', 'vuepress@^1', 'vitepress', '@docusaurus/core', 'gulp'],
    ...['grunt', 'browserify', 'parcel', 'rollup', '@ionic/cli', 'cordova', 'electron-builder'],
    ...['standard', 'xo', 'karma', 'webdriverio', '@wdio/cli', 'apollo-server', '@apollo/client'],
    ...['prisma', 'typeorm', 'sequelize', 'knex', 'mongoose', 'hexo', 'hexo-cli', 'ghost-cli', 'sails'],
    ...['@remix-run/dev', 'astro', '@sveltejs/kit', '@quasar/app-vite', 'quasar', 'tailwindcss'],
    ...['stylelint', '@babel/preset-env', 'babel-preset-react-app', 'bower', 'yo', 'node-red'],
    ...['npm6=npm@^6', '@microsoft/rush', '@elastic/eui', 'antd', '@mui/x-data-grid@^7', 'pm2', 'newman'],
    ...['swagger-ui-react', 'hardhat@^2', 'web3', 'discord.js', 'botbuilder', '@google-cloud/storage'],
    ...['googleapis'],
  ],
};

/** The lockfile of each package manager, and the commands that write only it. */
interface Manager {
  readonly file: string;
  readonly folder: string;
  readonly commands: readonly (readonly string[])[];
  /** File of another manager to start from. */
  readonly from?: string;
  /** Makes the folder a separate project. */
  readonly emptyLockfile?: true;
}

const NPM = ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--legacy-peer-deps', '--no-audit'];

const MANAGERS: readonly Manager[] = [
  { file: 'bun.lock', folder: 'bun', commands: [['npx', '-y', 'bun@1', 'install', '--lockfile-only']] },
  {
    file: 'pnpm-lock.yaml',
    folder: 'pnpm',
    commands: [
      [
        'npx',
        '-y',
        'pnpm@10',
        'install',
        '--lockfile-only',
        '--ignore-scripts',
        '--no-strict-peer-dependencies',
      ],
    ],
  },
  {
    file: 'yarn.lock',
    folder: 'berry',
    emptyLockfile: true,
    commands: [['npx', '-y', '@yarnpkg/cli-dist@4', 'install', '--mode=update-lockfile']],
  },
  { file: 'package-lock.json', folder: 'npm', commands: [NPM] },
  {
    // yarn 1 cannot lock without installing, but it can import npm's lockfile.
    file: 'yarn.lock',
    folder: 'yarn',
    from: 'npm/package-lock.json',
    commands: [
      [...NPM, '--lockfile-version', '1'],
      ['npx', '-y', 'yarn@1.22.22', 'import'],
    ],
  },
];

/** `npm run bench -- lockfiles [size]`: lets the package managers write lockfiles into `.bench`. Takes minutes. */
export async function run([wanted]: readonly string[]): Promise<void> {
  for (const [size, specifiers] of Object.entries(SIZES)) {
    if (wanted !== undefined && wanted !== size) continue;
    for (const manager of MANAGERS) await make(size, specifiers, manager);
  }
}

async function make(
  size: string,
  specifiers: readonly string[],
  { file, folder, commands, from, emptyLockfile }: Manager,
): Promise<void> {
  const place = join(LOCKFILE_FOLDER, size, folder);
  if (existsSync(join(place, file)) && !isEmpty(join(place, file))) {
    console.log(`${size}/${folder}/${file}: exists`);
    return;
  }
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), manifest(specifiers));
  if (emptyLockfile === true) await writeFile(join(place, file), '');
  try {
    if (from !== undefined) await copyFile(join(place, '..', from), join(place, basename(from)));
    // yarn does not read npm's configuration; this sets its registry.
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry']);
    const environment = {
      YARN_NPM_REGISTRY_SERVER: stdout.trim().replace(/\/$/, ''),
      YARN_ENABLE_TELEMETRY: '0',
    };
    for (const [program = '', ...args] of commands) await runCommand(program, args, place, environment);
    console.log(`${size}/${folder}/${file}: written`);
  } catch (error) {
    console.log(`${size}/${folder}/${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isEmpty(path: string): boolean {
  return statSync(path).size === 0;
}

/** `name`, `name@range` or `alias=name@range`. */
function manifest(specifiers: readonly string[]): string {
  const dependencies = specifiers.map((specifier) => {
    const [alias, aliased] = specifier.split('=');
    if (aliased !== undefined) return [alias, `npm:${aliased}`];
    const at = specifier.indexOf('@', 1);
    return at < 0 ? [specifier, 'latest'] : [specifier.slice(0, at), specifier.slice(at + 1)];
  });
  return JSON.stringify({
    name: 'bench',
    version: '1.0.0',
    private: true,
    dependencies: Object.fromEntries(dependencies) as Record<string, string>,
  });
}
