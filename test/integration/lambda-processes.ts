import { readdirSync, readFileSync } from 'node:fs';
import { deployed } from './deployment.ts';

const readIfPresent = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Process ids of a Lambda of the deployment under test, found by the environment variables that Lambda processes have.
 */
export const processesOf = (functionName: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const variables = readIfPresent(`/proc/${pid}/environ`).split('\0');
      return (
        variables.includes(`AWS_LAMBDA_FUNCTION_NAME=${functionName}`) &&
        variables.includes(`MAIL_TABLE=${deployed.outputs['mailTableName']}`) &&
        variables.some((variable) => variable.startsWith('AWS_ENDPOINT_URL=') && variable.includes(new URL(deployed.awsEndpointUrl!).port))
      );
    });

/** Kills a process. @returns whether it existed. */
export const kill = (pid: number): boolean => {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
};
