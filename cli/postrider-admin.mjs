#!/usr/bin/env node
/**
 * `npx postrider-admin`: the admin API (docs/admin-api.md).
 *
 *     postrider-admin login --outputs outputs.json
 *     postrider-admin domains AddDomain --domain example.com
 *     postrider-admin users ListUsers --table
 *     postrider-admin logout
 *
 * The exit code is 0 after success, 1 when the API refuses or cannot be reached, 2 for a wrong command line, and 3
 * without a sign-in.
 */
import { startProgram } from './program/start-program.mjs';

await startProgram('postrider-admin');
