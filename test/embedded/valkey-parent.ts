/** Run as a process of its own by `valkey.test.ts`, to be killed: starts Valkey, prints its process id, stays. */
import { startValkey } from '../../src/embedded/valkey.ts';

const valkey = await startValkey();
process.stdout.write(`${valkey.pid}\n`);
setInterval(() => {}, 60_000);
