/** `valkey.test.ts` runs and kills this process, which starts Valkey, prints its process id and waits. */
import { startValkey } from '../../src/embedded/valkey.ts';

const valkey = await startValkey();
process.stdout.write(`${valkey.pid}\n`);
setInterval(() => {}, 60_000);
