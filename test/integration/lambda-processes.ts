import { readdirSync, readFileSync } from 'node:fs';
import { deployed } from './deployment.ts';

const readIfPresent = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Process ids of one of the deployment's own Lambdas, by the environment that Lambda gives its processes. */
export const processesOf = (functionName: string): number[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
  const variables = readIfPresent(`/proc/${pid}/environ`).split('\0');
  return variables.includes(`AWS_LAMBDA_FUNCTION_NAME=${functionName}`) && variables.includes(`MAIL_TABLE=${deployed.outputs['mailTableName']}`)
    && variables.some((variable) => variable.startsWith('AWS_ENDPOINT_URL=') && variable.includes(new URL(deployed.awsEndpointUrl!).port));
});

/** Ends a process as a machine that fails does. @returns whether it was there. */
export const kill = (pid: number): boolean => {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
};
