import { Button, Container, Form, FormField, Header, SpaceBetween } from '@cloudscape-design/components';
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
import { SlowNote } from '../view/loading.tsx';
import { inputFor, type FieldInput } from './field-input.tsx';
import { hasChanges, requestFields, requestFrom, type FormField as Field, type Values } from './form-fields.ts';

export type MethodFieldsProps<S extends ServiceName, M extends MethodName<S>> = {
  readonly service: S;
  readonly method: M;
  /** Paths of the shown fields, in this order. Default: all fields that are not in `fixed`. */
  readonly fields?: readonly string[];
  /** Values that the page provides, such as the id of the changed object. */
  readonly fixed?: Partial<RequestOf<S, M>>;
  /** The initial values of fields. Unchanged fields are not sent. */
  readonly initial?: Values;
  /** Suggested values of fields. They are sent unless the person changes them, and may change until the person does. */
  readonly suggested?: Values;
  /** Paths of fields that may be omitted, although the message that contains them requires them. */
  readonly optional?: readonly string[];
  /** Custom inputs for some fields, such as a choice among existing objects. */
  readonly inputs?: { readonly [path: string]: FieldInput };
  /** Fields that must be filled in here although they are optional in the contract. */
  readonly required?: (values: Values) => readonly string[];
};

type MethodFields<S extends ServiceName, M extends MethodName<S>> = {
  readonly values: Values;
  /** A field with its label and its error. */
  readonly field: (path: string) => ReactNode;
  /** All fields below each other. */
  readonly rows: ReactNode;
  /** Problems that concern no single field. */
  readonly errorText: ReactNode | undefined;
  readonly isPending: boolean;
  /** Whether there is unsaved input, for {@link useUnsavedChanges}. */
  readonly isUnsaved: boolean;
  readonly error: Error | null;
  /** @returns the request; undefined when the contract refuses it. The fields then show the errors. */
  readonly check: (known?: Partial<RequestOf<S, M>>) => RequestOf<S, M> | undefined;
  /** Calls the method. @returns undefined when the call failed. The form then shows the error. */
  readonly send: (request: RequestOf<S, M>) => Promise<ResponseOf<S, M> | undefined>;
};

/** The limits as text: `1 to 1,000,000,000`. Empty for a limit that no person reaches. */
const plainLimits = (limits: string): string | undefined =>
  limits.includes(String(Number.MAX_SAFE_INTEGER)) ? undefined : fieldWords.requirementOf(limits) || undefined;

type Problems = { readonly [path: string]: string };

/** The field that an error message of the API begins with. */
const fieldOf = (message: string, fields: readonly Field[]): Field | undefined => fields.find(({ path }) => message.startsWith(`${path} `));

/** The field of a list, from that of an item: `addresses[0]`. */
const listOf = (field: string): string => field.replace(/\[\d+\]$/, '');

/** The problems of a request, by field. Problems of fields that are not shown are under the empty path. */
const problemsOf = (contract: Method, request: unknown, fields: readonly Field[]): Problems =>
  Object.fromEntries(
    requestProblems(contract, request).map(({ field, requirement }) =>
      fields.some(({ path }) => path === listOf(field)) ? [listOf(field), requirement] : ['', fieldWords.withLabels(`${field} ${requirement}`)],
    ),
  );

/**
 * The fields of a method, with the labels, limits, enums and messages of the contract. Errors of fields are shown
 * beside them. Typed text survives an error.
 */
export const useMethodFields = <S extends ServiceName, M extends MethodName<S>>({
  service,
  method,
  fields: paths,
  fixed = {},
  initial = {},
  suggested = {},
  optional = [],
  inputs = {},
  required = () => [],
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
  const message = mutation.error?.message ?? '';
  const refused = fieldOf(message, shown);
  const field = (path: string): ReactNode => {
    const found = shown.find((one) => one.path === path);
    if (!found) return null;
    const problem = problems[path] ?? (refused?.path === path ? message.slice(path.length + 1) : undefined);
    const { label, hint } = fieldWords.of(found.name);
    const input = inputs[path] ?? inputFor(found);
    const isRequired = required(values).includes(path) || (found.required && !optional.includes(path));
    // A field that has a value already is not marked as optional: the form changes it.
    const isOptional = !isRequired && found.kind !== 'boolean' && initial[path] === undefined;
    return (
      <FormField
        key={path}
        errorText={problem && `${label} ${fieldWords.requirementOf(problem)}`}
        description={hint}
        constraintText={inputs[path] || found.kind === 'enum' ? undefined : plainLimits(found.limits)}
        label={
          !isOptional ? (
            label
          ) : (
            <span>
              {label}
              <i>{` – ${words.form.optional}`}</i>
            </span>
          )
        }
      >
        {input({ value: values[path], isInvalid: problem !== undefined, onChange: (value) => setTyped((known) => ({ ...known, [path]: value })) })}
      </FormField>
    );
  };
  return {
    values,
    field,
    rows: <SpaceBetween size="l">{shown.map(({ path }) => field(path))}</SpaceBetween>,
    errorText: problems[''] ?? (error && !refused ? <ErrorText error={{ ...error, text: fieldWords.withLabels(error.text) }} hasTitle /> : undefined),
    isPending: mutation.isPending,
    isUnsaved: !mutation.isPending && !mutation.isSuccess && hasChanges(values, first),
    error: mutation.error,
    check: (known = {}) => {
      const request = { ...requestFrom(values, initial, shown), ...fixed, ...known };
      const empty: Problems = Object.fromEntries(
        required(values)
          .filter((path) => (values[path] ?? '') === '')
          .map((path) => [path, words.form.required]),
      );
      const found = { ...problemsOf(contract, request, shown), ...empty };
      setProblems(found);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract has found no problem
      return Object.keys(found).length > 0 ? undefined : (request as RequestOf<S, M>);
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
  readonly title?: string;
  readonly description?: string | undefined;
};

/** A form for a method: {@link useMethodFields} with buttons. Errors without a field are shown above the buttons. */
export const MethodForm = <S extends ServiceName, M extends MethodName<S>>(props: MethodFormProps<S, M>) => {
  const { submitText = words.form.submit, onDone, onCancel, hasContainer = true, title, description } = props;
  const { rows, errorText, isPending, isUnsaved, check, send } = useMethodFields(props);
  useUnsavedChanges(isUnsaved);
  const submit = async (): Promise<void> => {
    const request = check();
    const response = request && (await send(request));
    if (response !== undefined) onDone(response);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      noValidate
    >
      <Form
        errorText={errorText}
        secondaryActions={<SlowNote isRunning={isPending} />}
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            {onCancel && (
              <Button formAction="none" variant="link" onClick={onCancel}>
                {words.form.cancel}
              </Button>
            )}
            <Button variant="primary" loading={isPending} formAction="submit">
              {submitText}
            </Button>
          </SpaceBetween>
        }
      >
        {hasContainer ? (
          <Container
            {...(title !== undefined && {
              header: (
                <Header variant="h2" description={description}>
                  {title}
                </Header>
              ),
            })}
          >
            {rows}
          </Container>
        ) : (
          rows
        )}
      </Form>
    </form>
  );
};
