import * as z from 'zod';
import { services } from '../admin/index.ts';
import { errorCodes, type ErrorCode } from '../rpc/error-codes.ts';
import { ErrorBody, commonErrors, type Method, type Service } from '../rpc/rpc.ts';

type Json = { [name: string]: unknown };

/** An OpenAPI 3.1 document, as a JSON value. */
export type OpenApiDocument = Json & {
  readonly openapi: '3.1.0';
  readonly paths: { readonly [path: string]: Json };
  readonly components: Json & { readonly schemas: { readonly [name: string]: Json } };
};

/** Adds the default of a field whose value is converted, because zod leaves such a default out. */
const withDefault: NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override'] = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
};

/**
 * Moves the schemas that a schema refers to into `schemas`, OpenAPI's `components/schemas`. @returns the schema without
 * them.
 */
const hoist = (schema: Json, schemas: { [name: string]: Json }): Json => {
  const {
    $defs: definitions = {},
    $schema: _version,
    id: _id,
    ...rest
  }: Json & { $defs?: { [name: string]: Json } } = JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, { id: _name, ...definition }] of Object.entries(definitions)) schemas[name] = definition;
  return rest;
};

const describedErrors = (method: Method): Json => {
  const byStatus = Map.groupBy<number, ErrorCode>([...commonErrors, ...method.errors], (code) => errorCodes[code]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        { description: codes.join(' or '), content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
      ]),
  );
};

const operation = (service: Service, name: string, method: Method, schemas: { [name: string]: Json }): Json => {
  const [requestName, responseName] = [`${name}Request`, `${name}Response`];
  schemas[requestName] = hoist(z.toJSONSchema(method.request, { io: 'input', override: withDefault }), schemas);
  schemas[responseName] = hoist(z.toJSONSchema(method.response, { io: 'output', override: withDefault }), schemas);
  const content = (schema: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } });
  return {
    post: {
      operationId: `${service.name}/${name}`,
      tags: [service.name],
      summary: method.summary,
      requestBody: { required: true, content: content(requestName) },
      responses: {
        200: { description: 'The response message', content: content(responseName) },
        ...describedErrors(method),
        default: { description: 'Any other error', content: content('Error') },
      },
    },
  };
};

/** The admin interface as an OpenAPI 3.1 document. @param url the deployment's `adminApiUrl`. */
export const openApiDocument = ({ url, version }: { url: string; version: string }): OpenApiDocument => {
  const schemas: { [name: string]: Json } = {};
  hoist(z.toJSONSchema(z.object({ error: ErrorBody })), schemas);
  const paths = Object.values(services as { [name: string]: Service }).flatMap((service) =>
    Object.entries(service.methods).map(([name, method]) => [`${service.path}/${name}`, operation(service, name, method, schemas)] as const),
  );
  return {
    openapi: '3.1.0',
    info: { title: 'Postrider admin API', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url }],
    security: [{ accessToken: [] }],
    tags: Object.values(services).map(({ name, summary }) => ({ name, description: summary })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token with the scope adminApi/ADMIN' } },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
};
