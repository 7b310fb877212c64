import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import { moduleFunction, rejectCycles } from '../../../src/build/module-functions.mjs'

type Load = (name: string) => Record<string, unknown>

/** Returns a `require` of these modules, whose names are those of their files in capitals. */
function loader(files: Record<string, string>): Load {
  const nameOf = (file: string) => file.toUpperCase()
  const loaded = new Map<string, Record<string, unknown>>()
  const functions = Object.entries(files).map(([file, code]) => {
    const text = moduleFunction(file, code).text(nameOf)
    return [nameOf(file), runInThisContext(`"use strict";(${text})`)] as const
  })
  const byName = Object.fromEntries(functions)
  const load: Load = (name) => {
    const define = byName[name]
    if (!define) return process.getBuiltinModule(name) as unknown as Record<string, unknown>
    const exports = loaded.get(name) ?? (define(load) as Record<string, unknown>)
    loaded.set(name, exports)
    return exports
  }
  return load
}

test('a module function returns the exports of its module', () => {
  const load = loader({
    './a.js': 'var x=1;function y(){return x+1}class z{};export{x,y as b,z as default};',
  })
  const exports = load('./A.JS')
  expect(Object.keys(exports)).toEqual(['x', 'b', 'default'])
  expect((exports.b as () => number)()).toBe(2)
  expect(loader({ './a.js': 'export default 6*7;' })('./A.JS')).toEqual({ default: 42 })
})

test('a module imports names, defaults and namespaces of other modules and of Node', () => {
  const load = loader({
    './a.js': 'import"./b.js";import d,{x as y,z}from"./b.js";import*as n from"./b.js";export{d,y,z,n};',
    './b.js': 'var x=1,z=2,d=3;export{x,z,d as default};',
    './node.js':
      'import p from"node:path";import{join as j,sep}from"node:path";import f,{constants as c}from"node:fs";export{p,j,sep,f,c};',
  })
  const exports = load('./A.JS')
  expect(exports).toEqual({ d: 3, y: 1, z: 2, n: { x: 1, z: 2, default: 3 } })
  const { p, j, sep, f, c } = load('./NODE.JS') as Record<string, Record<string, unknown>>
  expect([p?.join, p?.sep, f?.constants]).toEqual([j, sep, c])
})

test('a lazy import loads its module when it is called', async () => {
  const load = loader({
    './a.js': 'var f=()=>import("./b.js");export{f};',
    './b.js': 'globalThis.tt_loaded=true;var x=import("node:path");export{x};',
  })
  const { f } = load('./A.JS') as { f: () => Promise<{ x: Promise<unknown> }> }
  expect(globalThis).not.toHaveProperty('tt_loaded')
  const { x } = await f()
  expect(await x).toHaveProperty('join')
  Reflect.deleteProperty(globalThis, 'tt_loaded')
})

test.each([
  'x=1',
  'x++',
  '({y:[...x]}={y:1})',
  '[x=2]=[]',
  '({...x}={y:1})',
  'for(x of[1]);',
  'for(x in{y:1});',
])('an export that a function changes with %s is rejected', (change) => {
  const code = `var x=0,f=()=>{${change}};export{x as a,f};`
  expect(() => moduleFunction('./a.js', code)).toThrow('./a.js exports x, which a function changes later.')
})

test('an export that the module itself changes has its last value', () => {
  const load = loader({ './a.js': 'var x=0;x+=5;var y={z:1};function f(){y.z=2}f();export{x,y};' })
  expect(load('./A.JS')).toEqual({ x: 5, y: { z: 2 } })
})

test.each(['export*from"./b.js";', 'export{x}from"./b.js";', 'export var x=1;'])(
  'an export of the form %s is rejected',
  (code) => {
    expect(() => moduleFunction('./a.js', code)).toThrow(`./a.js has an export of an unknown form: ${code}`)
  },
)

test('modules that import each other are rejected', () => {
  const of = (file: string, code: string) => [file, moduleFunction(file, code)]
  const cycle = [
    of('./a.js', 'import"./b.js";'),
    of('./b.js', 'import"./c.js";'),
    of('./c.js', 'import"./b.js";'),
  ]
  expect(() => rejectCycles(Object.fromEntries(cycle))).toThrow('./a.js → ./b.js → ./c.js → ./b.js')
  const lazy = [of('./a.js', 'import"./b.js";import"node:fs";'), of('./b.js', 'import("./a.js");')]
  expect(() => rejectCycles(Object.fromEntries(lazy))).not.toThrow()
})
