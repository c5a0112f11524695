import { services, type ServiceName } from '../contract/admin/index.ts';
import { AdminApiError, createAdminClient } from '../contract/client.ts';
import { methodDescriptions, type MethodDescription } from '../contract/description.ts';
import { CliError, exitCodes, usageError, type ExitCode } from './cli-error.ts';
import { findDeployment } from './known-deployment.ts';
import { generalHelp, methodHelp, serviceHelp } from './help.ts';
import { login, logout } from './login.ts';
import { assertValidRequest, buildRequest } from './request-options.ts';
import type { CliContext } from './cli-context.ts';
import { printable, printableJson, responseTable } from './response-table.ts';
import { accessToken } from './access-token.ts';

/** Options that every method has; the rest are the method's own. */
type Common = { readonly rest: readonly string[]; readonly table: boolean; readonly outputs: string | undefined; readonly json: string | undefined };

const takeCommon = (args: readonly string[]): Common => {
  const rest: string[] = [];
  const taken: { outputs?: string; json?: string } = {};
  let table = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const [, name, attached] = /^--(outputs|json)(?:=(.*))?$/s.exec(arg) ?? [];
    if (arg === '--table') table = true;
    else if (name === 'outputs' || name === 'json') {
      const value = attached ?? args[++index];
      if (value === undefined) throw usageError(`--${name} takes a value`);
      taken[name] = value;
    } else rest.push(arg);
  }
  return { rest, table, outputs: taken.outputs, json: taken.json };
};

const wholeRequest = async ({ json }: Common, readInput: CliContext['readInput']): Promise<Record<string, unknown>> => {
  if (json === undefined) return {};
  try {
    const value: unknown = JSON.parse(json === '-' ? await readInput() : json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below, in the same words as what is JSON but no object.
  }
  throw usageError('--json takes a JSON object');
};

const plainName = (name: string): string => name.replaceAll('-', '').toLowerCase();

const findMethod = (service: ServiceName, name: string): MethodDescription => {
  const method = methodDescriptions.find((each) => each.service === service && plainName(each.name) === plainName(name));
  if (!method) throw usageError(`${service} has no method '${name}'; postrider-admin ${service} --help tells those that there are`);
  return method;
};

const callMethod = async (method: MethodDescription, args: readonly string[], world: CliContext): Promise<void> => {
  const common = takeCommon(args);
  const request = buildRequest(method.request, common.rest, await wholeRequest(common, world.readInput));
  assertValidRequest(method, request);
  const deployment = await findDeployment(world.environment, common.outputs);
  const client = createAdminClient({ baseUrl: deployment.adminApiUrl, token: await accessToken(world, deployment), fetch: world.fetch });
  const service = client[method.service] as unknown as { readonly [name: string]: (request: unknown) => Promise<unknown> };
  const response = await service[method.name]?.(request);
  world.print(common.table ? responseTable(response) : printableJson(response));
};

const wantsHelp = (arg: string): boolean => arg === '--help' || arg === '-h' || arg === 'help';

const dispatch = async (args: readonly string[], world: CliContext): Promise<void> => {
  const [first, second, ...rest] = args;
  if (first === undefined) throw usageError(generalHelp());
  if (wantsHelp(first)) return world.print(generalHelp());
  if (first === 'login') return login(args.slice(1), world);
  if (first === 'logout') return logout(args.slice(1), world);
  if (!Object.hasOwn(services, first)) throw usageError(`there is no service '${first}'; postrider-admin --help tells those that there are`);
  const service = first as ServiceName;
  if (second === undefined || wantsHelp(second)) return world.print(serviceHelp(service));
  const method = findMethod(service, second);
  if (rest.includes('--help') || rest.includes('-h')) return world.print(methodHelp(method));
  return callMethod(method, rest, world);
};

const failureInWords = (error: unknown): { words: string; exitCode: ExitCode } => {
  if (error instanceof CliError) return { words: error.message, exitCode: error.exitCode };
  if (error instanceof AdminApiError) {
    const named = error.correlationId === undefined ? '' : ` (call ${error.correlationId})`;
    return { words: `${error.code}: ${error.message}${named}`, exitCode: error.code === 'unauthenticated' ? exitCodes.signIn : exitCodes.refused };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  return { words: `the admin API can't be reached: ${cause || (error instanceof Error ? error.message : 'no answer')}`, exitCode: exitCodes.refused };
};

/** Runs a command line. Whatever goes wrong is told in words. @returns the process's exit code. */
export const runCommandLine = async (args: readonly string[], world: CliContext): Promise<ExitCode> => {
  try {
    await dispatch(args, world);
    return exitCodes.done;
  } catch (error) {
    const { words, exitCode } = failureInWords(error);
    world.printMessage(words.split('\n').map(printable).join('\n'));
    return exitCode;
  }
};
