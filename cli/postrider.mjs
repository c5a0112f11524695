#!/usr/bin/env node
/**
 * `npx postrider`: moves mail into and out of an account, over JMAP (docs/moving-in.md).
 *
 *     postrider login --server https://jmap.example.com
 *     postrider import --account ACCOUNT Mail.mbox
 *     postrider export --account ACCOUNT --to ./mail
 *     postrider logout
 *
 * The exit code is 0 after success, 1 when the server refuses or cannot be reached, 2 for a wrong command line, 3
 * without a sign-in, 4 when some messages were not imported, and 130 after Ctrl-C.
 */
import { startProgram } from './program/start-program.mjs';

await startProgram('postrider');
