import { services, type ServiceName } from '../../contract/admin/index.ts';
import { AdminApiError } from '../../contract/client.ts';
import { isObject } from '../../contract/jmap/data-type.ts';
import { methodDescriptions, type MethodDescription } from '../../contract/reference/description.ts';
import { parseJson } from '../../contract/values/parse-json.ts';
import { printable } from '../../contract/values/printable.ts';
import { keysOf } from '../../contract/values/typed-entries.ts';
import { findDeployment } from '../sign-in/known-deployment.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { CliError, exitCodes, usageError, type ExitCode } from '../terminal/cli-error.ts';
import { printableJson, printingSafely, responseTable } from '../terminal/response-table.ts';
import { adminClient } from './admin-client.ts';
import { generalHelp, methodHelp, serviceHelp } from './help.ts';
import { login, logout } from './login.ts';
import { people } from './people/people-command.ts';
import { referencedId } from './references.ts';
import { remainingSteps } from './remaining-steps.ts';
import { assertValidRequest, buildRequest } from './request-options.ts';
import { trace } from './trace.ts';

/** The options that every method has. `rest` has the options of the method itself. */
type CommonOptions = { readonly rest: readonly string[]; readonly table: boolean; readonly outputs: string | undefined; readonly json: string | undefined };

const parseCommonOptions = (args: readonly string[]): CommonOptions => {
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

const requestFromJson = async ({ json }: CommonOptions, readInput: CliContext['readInput']): Promise<Record<string, unknown>> => {
  if (json === undefined) return {};
  const value = parseJson(json === '-' ? await readInput() : json);
  if (isObject(value)) return { ...value };
  throw usageError('--json takes a JSON object');
};

const plainName = (name: string): string => name.replaceAll('-', '').toLowerCase();

const findMethod = (service: ServiceName, name: string): MethodDescription => {
  const method = methodDescriptions().find((each) => each.service === service && plainName(each.name) === plainName(name));
  if (!method) throw usageError(`${service} has no method '${name}'; postrider-admin ${service} --help lists them`);
  return method;
};

const callMethod = async (method: MethodDescription, args: readonly string[], context: CliContext): Promise<void> => {
  const common = parseCommonOptions(args);
  const { request, unresolved } = buildRequest(method, common.rest, await requestFromJson(common, context.readInput));
  assertValidRequest(method, request);
  const client = adminClient(context, await findDeployment(context.environment, common.outputs));
  for (const { field, reference, text } of unresolved) request[field] = await referencedId(client, reference, text);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names and the request come from the contract's own list
  const service = client[method.service] as unknown as { readonly [name: string]: (request: unknown) => Promise<unknown> };
  const response = await service[method.name]?.(request);
  context.print(common.table ? responseTable(response) : printableJson(response));
  const steps = method.service === 'domains' ? remainingSteps(method.aliasOf ?? method.name, request, response) : [];
  for (const step of steps) context.printMessage(printable(step));
};

const wantsHelp = (arg: string): boolean => arg === '--help' || arg === '-h' || arg === 'help';

const dispatch = async (args: readonly string[], context: CliContext): Promise<void> => {
  const [first, second, ...rest] = args;
  if (first === undefined) throw usageError(generalHelp());
  if (wantsHelp(first)) return context.print(generalHelp());
  if (first === 'login') return login(args.slice(1), context);
  if (first === 'logout') return logout(args.slice(1), context);
  if (first === 'people') return people(args.slice(1), context);
  if (first === 'trace') return trace(args.slice(1), context);
  // The AWS SDK is loaded for this command only.
  if (first === 'restore') return (await import('./restore/restore-command.ts')).restore(args.slice(1), context);
  const service = keysOf(services).find((name) => name === first);
  if (service === undefined) throw usageError(`there is no service '${first}'; postrider-admin --help lists them`);
  if (second === undefined || wantsHelp(second)) return context.print(serviceHelp(service));
  const method = findMethod(service, second);
  if (rest.includes('--help') || rest.includes('-h')) return context.print(methodHelp(method));
  return callMethod(method, rest, context);
};

const describeFailure = (error: unknown): { message: string; exitCode: ExitCode } => {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof AdminApiError) {
    const callId = error.correlationId === undefined ? '' : ` (call ${error.correlationId})`;
    return { message: `${error.code}: ${error.message}${callId}`, exitCode: error.code === 'unauthenticated' ? exitCodes.signIn : exitCodes.refused };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  return { message: `the admin API cannot be reached: ${cause || (error instanceof Error ? error.message : 'no response')}`, exitCode: exitCodes.refused };
};

/** Runs a command line. Errors are printed as messages. @returns the process's exit code. */
export const runCommandLine = async (args: readonly string[], given: CliContext): Promise<ExitCode> => {
  const context = printingSafely(given);
  try {
    await dispatch(args, context);
    return exitCodes.done;
  } catch (error) {
    const { message, exitCode } = describeFailure(error);
    context.printMessage(message);
    return exitCode;
  }
};
