import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState, type ReactNode } from 'react';
import { services, type ServiceName } from '../../../contract/admin/index.ts';
import { requestProblems } from '../../../contract/rpc/decode.ts';
import type { Method } from '../../../contract/rpc/rpc.ts';
import { useAdminMutation, type MethodName, type RequestOf, type ResponseOf } from '../../api/admin-api.tsx';
import { shownError } from '../../api/errors.ts';
import { useUnsavedChanges } from '../../page/unsaved-changes.tsx';
import { fieldWords } from '../../words/fields.ts';
import { words } from '../../words/words.ts';
import { ErrorText } from '../text/error-text.tsx';
import { inputFor, type FieldInput } from './field-input.tsx';
import { hasChanges, requestFields, requestFrom, type FormField as Field, type Values } from './form-fields.ts';
import { SlowNote } from '../view/loading.tsx';

export type MethodFieldsProps<S extends ServiceName, M extends MethodName<S>> = {
  readonly service: S;
  readonly method: M;
  /** Paths of the fields that are shown, in this order. Default: all that `fixed` does not have. */
  readonly fields?: readonly string[];
  /** Values that the page provides, such as the id of the changed object. */
  readonly fixed?: Partial<RequestOf<S, M>>;
  /** The first values of fields. Fields that keep them are not sent. */
  readonly initial?: Values;
  /** Values that are filled in already, and sent unless the person changes them. They may change until then. */
  readonly suggested?: Values;
  /** Paths of fields that may be left out, although the message that they are in requires them. */
  readonly optional?: readonly string[];
  /** The page's own inputs for some fields, such as a choice among existing objects. */
  readonly inputs?: { readonly [path: string]: FieldInput };
  /** Fields that have to be filled in here although the contract allows to leave them out. */
  readonly required?: (values: Values) => readonly string[];
};

type MethodFields<S extends ServiceName, M extends MethodName<S>> = {
  readonly values: Values;
  /** A field with its label and its error. */
  readonly field: (path: string) => ReactNode;
  /** All fields below each other. */
  readonly rows: ReactNode;
  /** Problems that belong to no single field. */
  readonly errorText: ReactNode | undefined;
  readonly isPending: boolean;
  /** Whether something was typed that is not saved, for {@link useUnsavedChanges}. */
  readonly isUnsaved: boolean;
  /** The error of the last call. */
  readonly error: Error | null;
  /** The request; undefined when the contract refuses it, which then shows at the fields. */
  readonly check: (known?: Partial<RequestOf<S, M>>) => RequestOf<S, M> | undefined;
  /** Calls the method. @returns undefined when the call failed, which then shows. */
  readonly send: (request: RequestOf<S, M>) => Promise<ResponseOf<S, M> | undefined>;
};

/** `1 to 1,000,000,000`. A limit that no person reaches is not worth a line. */
const plainLimits = (limits: string): string | undefined =>
  (limits.includes(String(Number.MAX_SAFE_INTEGER)) ? undefined : limits.replaceAll(/\d{5,}/g, (digits) => Number(digits).toLocaleString()) || undefined);

type Problems = { readonly [path: string]: string };

/** The field that an error message of the API begins with. */
const fieldOf = (message: string, fields: readonly Field[]): Field | undefined => fields.find(({ path }) => message.startsWith(`${path} `));

/** The problems of a request by field; a problem of no shown field is under the empty path. */
const problemsOf = (contract: Method, request: unknown, fields: readonly Field[]): Problems =>
  Object.fromEntries(requestProblems(contract, request).map(({ field, requirement }) =>
    (fields.some(({ path }) => path === field) ? [field, requirement] : ['', `${field} ${requirement}`])));

/**
 * The fields of a method: their labels, limits, enums and messages are those of the contract. Errors of fields show
 * beside them. Nothing that was typed gets lost by an error.
 */
export const useMethodFields = <S extends ServiceName, M extends MethodName<S>>({
  service, method, fields: paths, fixed = {}, initial = {}, suggested = {}, optional = [], inputs = {}, required = () => [],
}: MethodFieldsProps<S, M>): MethodFields<S, M> => {
  const all = requestFields(service, method);
  const shown = paths ? paths.flatMap((path) => all.find((field) => field.path === path) ?? []) : all.filter(({ path }) => !(path in fixed));
  const [typed, setTyped] = useState<Values>({});
  const [problems, setProblems] = useState<Problems>({});
  const mutation = useAdminMutation(service, method);
  const first = { ...initial, ...suggested };
  const values = { ...first, ...typed };
  const contract = (services[service].methods as { readonly [name: string]: Method })[method]!;
  const error = mutation.error && shownError(mutation.error);
  const refused = error ? fieldOf(error.text, shown) : undefined;
  const field = (path: string): ReactNode => {
    const found = shown.find((one) => one.path === path);
    if (!found) return null;
    const problem = problems[path] ?? (refused?.path === path ? error?.text.slice(path.length + 1) : undefined);
    const { label, hint } = fieldWords.of(found.name);
    const input = inputs[path] ?? inputFor(found);
    const isRequired = required(values).includes(path) || (found.required && !optional.includes(path));
    // A field that has a value already is not marked as optional: the form changes it.
    const isOptional = !isRequired && found.kind !== 'boolean' && initial[path] === undefined;
    return (
      <FormField
        key={path} errorText={problem && `${label} ${problem}`} description={hint}
        constraintText={inputs[path] || found.kind === 'enum' ? undefined : plainLimits(found.limits)}
        label={!isOptional ? label : <span>{label}<i>{` – ${words.form.optional}`}</i></span>}
      >
        {input({ value: values[path], isInvalid: problem !== undefined, onChange: (value) => setTyped((known) => ({ ...known, [path]: value })) })}
      </FormField>
    );
  };
  return {
    values, field,
    rows: <SpaceBetween size="l">{shown.map(({ path }) => field(path))}</SpaceBetween>,
    errorText: problems[''] ?? (error && !refused ? <ErrorText error={error} hasTitle /> : undefined),
    isPending: mutation.isPending,
    isUnsaved: !mutation.isPending && !mutation.isSuccess && hasChanges(values, first),
    error: mutation.error,
    check: (known = {}) => {
      const request = { ...requestFrom(values, initial, shown), ...fixed, ...known };
      const empty = required(values).filter((path) => (values[path] ?? '') === '').map((path) => [path, words.form.required]);
      const found = { ...problemsOf(contract, request, shown), ...Object.fromEntries(empty) as Problems };
      setProblems(found);
      return Object.keys(found).length > 0 ? undefined : request as RequestOf<S, M>;
    },
    send: (request) => mutation.mutateAsync(request).catch(() => undefined),
  };
};

export type MethodFormProps<S extends ServiceName, M extends MethodName<S>> = MethodFieldsProps<S, M> & {
  readonly submitText?: string;
  readonly onDone: (response: ResponseOf<S, M>) => void;
  readonly onCancel?: () => void;
  /** Whether the form is in a container of its own. */
  readonly hasContainer?: boolean;
  /** The header of the container. */
  readonly title?: string;
  readonly description?: string | undefined;
};

/** A form for a method: {@link useMethodFields} with its buttons. Errors of no field show above the buttons. */
export const MethodForm = <S extends ServiceName, M extends MethodName<S>>({
  submitText = words.form.submit, onDone, onCancel, hasContainer = true, title, description, ...props
}: MethodFormProps<S, M>) => {
  const { rows, errorText, isPending, isUnsaved, check, send } = useMethodFields(props as unknown as MethodFieldsProps<S, M>);
  useUnsavedChanges(isUnsaved);
  const submit = async (): Promise<void> => {
    const request = check();
    const response = request && await send(request);
    if (response !== undefined) onDone(response);
  };
  return (
    <form onSubmit={(event) => { event.preventDefault(); void submit(); }} noValidate>
      <Form
        errorText={errorText} secondaryActions={<SlowNote isRunning={isPending} />}
        actions={(
          <SpaceBetween direction="horizontal" size="xs">
            {onCancel && <Button formAction="none" variant="link" onClick={onCancel}>{words.form.cancel}</Button>}
            <Button variant="primary" loading={isPending} formAction="submit">{submitText}</Button>
          </SpaceBetween>
        )}
      >
        {hasContainer ? <Container {...(title !== undefined && { header: <Header variant="h2" description={description}>{title}</Header> })}>{rows}</Container> : rows}
      </Form>
    </form>
  );
};
